// The files of configs/catalog/engines, compiled in.
#pragma once

#include <span>
#include <string_view>

namespace paretune::engine {

/// One JSON text per kind, in no order that matters.
std::span<const std::string_view> catalog_texts();

}  // namespace paretune::engine
