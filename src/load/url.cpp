// Base URLs as people write them, brought to one form.
#include <algorithm>
#include <array>
#include <string>

#include "paretune/core/text.hpp"
#include "paretune/core/units.hpp"
#include "paretune/load/endpoint.hpp"

namespace paretune::load {

namespace {

struct Url {
  std::string scheme;
  std::string host;  ///< IPv6 with brackets
  std::string port;  ///< with its colon; empty = default
  std::string path;  ///< no slash at the end; empty or starting with one
};

core::Error bad_url(std::string_view url, const std::string& why, std::string hint = {}) {
  return core::invalid_input("'" + std::string(url) + "' is no usable URL: " + why, std::move(hint));
}

bool is_hex_address(std::string_view text) {
  return text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789abcdefABCDEF:.%") == std::string_view::npos;
}

core::Result<std::string> check_port(std::string_view url, std::string_view digits) {
  const auto port = core::parse_integer(digits);
  if (!port || *port < 1 || *port > 65535 || digits[0] == '+') {
    return bad_url(url, "the port must be a number from 1 to 65535, not '" + std::string(digits) + "'");
  }
  return ":" + std::to_string(*port);
}

core::Result<void> split_authority(std::string_view url, std::string_view authority, Url& parts) {
  if (authority.find('@') != std::string_view::npos) {
    return core::invalid_input("a URL with a user name or password is refused, since it would end up in logs",
                               "use the API key option or a header");
  }
  std::string_view rest;
  if (!authority.empty() && authority[0] == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos || !is_hex_address(authority.substr(1, close - 1))) {
      return bad_url(url, "no IPv6 address in the brackets");
    }
    parts.host = authority.substr(0, close + 1);
    rest = authority.substr(close + 1);
  } else {
    const std::size_t colon = authority.find(':');
    parts.host = authority.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : authority.substr(colon);
    if (rest.size() > 1 && rest.find(':', 1) != std::string_view::npos) {
      return bad_url(url, "an IPv6 address needs brackets", "write http://[::1]:8000");
    }
  }
  if (parts.host.empty()) return bad_url(url, "there is no host");
  if (parts.host[0] != '[' && parts.host.find_first_of(" \t\\\"<>[]{}|^`") != std::string::npos) {
    return bad_url(url, "the host holds a character that no host has");
  }
  if (rest.empty()) return {};
  if (rest[0] != ':' || rest.size() == 1) return bad_url(url, "the host is not followed by a port");
  auto port = check_port(url, rest.substr(1));
  if (!port) return port.error();
  parts.port = *port;
  return {};
}

void strip_slashes(std::string& path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
}

core::Result<Url> split_url(std::string_view given) {
  const std::string_view url = core::trim(given);
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) {
    return bad_url(url, "it does not start with http:// or https://",
                   "did you mean 'http://" + std::string(url) + "'?");
  }
  Url parts;
  parts.scheme = core::to_lower(url.substr(0, scheme_end));
  if (parts.scheme != "http" && parts.scheme != "https") {
    return bad_url(url, "the scheme must be http or https, not '" + parts.scheme + "'");
  }
  const std::string_view rest = url.substr(scheme_end + 3);
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return bad_url(url, "a base URL has no query and no fragment");
  }
  const std::size_t slash = rest.find('/');
  if (auto done = split_authority(url, rest.substr(0, slash), parts); !done) return done.error();
  if (slash != std::string_view::npos) parts.path = rest.substr(slash);
  if (parts.path.find_first_of(" \t\r\n\\") != std::string::npos)
    return bad_url(url, "the path holds a blank");
  strip_slashes(parts.path);
  return parts;
}

/// "/v1", "/v4" at the end of a path: the slash where it starts, or npos.
std::size_t version_start(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash + 2 >= path.size() || path[slash + 1] != 'v')
    return std::string::npos;
  return path.find_first_not_of("0123456789", slash + 2) == std::string::npos ? slash : std::string::npos;
}

void strip_operation(std::string& path) {
  for (const std::string_view operation : {"/chat/completions", "/completions", "/models"}) {
    if (path.size() < operation.size() || !path.ends_with(operation)) continue;
    path.resize(path.size() - operation.size());
    strip_slashes(path);
    return;
  }
}

core::Result<Url> base_of(std::string_view given) {
  auto url = split_url(given);
  if (!url) return url;
  strip_operation(url->path);
  if (version_start(url->path) == std::string::npos) url->path += "/v1";
  return url;
}

std::string to_text(const Url& url) {
  return url.scheme + "://" + url.host + url.port + url.path;
}

}  // namespace

core::Result<std::string> normalise_base_url(std::string_view given) {
  const auto url = base_of(given);
  if (!url) return url.error();
  return to_text(*url);
}

core::Result<std::string> server_root_of(std::string_view given) {
  auto url = base_of(given);
  if (!url) return url.error();
  url->path.resize(version_start(url->path));
  strip_slashes(url->path);
  return to_text(*url);
}

core::Result<std::string> request_url_of(std::string_view given, Api api) {
  const auto url = base_of(given);
  if (!url) return url.error();
  return to_text(*url) + (api == Api::Chat ? "/chat/completions" : "/completions");
}

core::Result<std::string> base_url_of(std::string_view given, int port) {
  std::string host(core::trim(given));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  // A server bound to every address is reached through loopback.
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::" || host == "*") host = host == "*" ? "127.0.0.1" : "::1";
  if (host.empty()) return core::invalid_input("the host is empty");
  if (is_hex_address(host)) host = "[" + host + "]";
  Url parts;
  const std::string url = "http://" + host + ":" + std::to_string(port);
  if (auto done = split_authority(url, host + ":" + std::to_string(port), parts); !done) return done.error();
  parts.scheme = "http";
  return to_text(parts);
}

}  // namespace paretune::load
