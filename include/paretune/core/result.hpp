// Result<T>: a value or an Error. Used for everything that can fail in operation (bad input, I/O, network);
// contract breaches by our own code throw std::invalid_argument or std::logic_error instead.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "paretune/core/error.hpp"

namespace paretune::core {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// @throws std::logic_error if there is no value (a bug of the caller: check ok() first).
  const T& value() const& {
    require_ok();
    return std::get<0>(content_);
  }
  T& value() & {
    require_ok();
    return std::get<0>(content_);
  }
  T&& value() && {
    require_ok();
    return std::get<0>(std::move(content_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const { return std::get<1>(content_); }

 private:
  void require_ok() const {
    if (!ok()) throw std::logic_error("Result without a value: " + std::get<1>(content_).message);
  }
  std::variant<T, Error> content_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

}  // namespace paretune::core
