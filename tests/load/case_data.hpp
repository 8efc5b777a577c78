// Case files of tests/data/cases as bytes with times.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/stub_server.hpp"

namespace paretune::load {

inline std::string read_case(const std::string& name) {
  std::ifstream file(std::string(PARETUNE_TEST_DATA) + "/cases/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no case file " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline nlohmann::json read_case_json(const std::string& name) {
  return nlohmann::json::parse(read_case(name));
}

inline std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// A *.segments.json file as the script of a stub server.
inline testing::StubReply read_segments(const std::string& name) {
  const nlohmann::json json = read_case_json(name);
  testing::StubReply reply;
  reply.status = json.at("status");
  reply.headers = json.at("headers").get<std::vector<std::string>>();
  for (const auto& segment : json.at("segments")) {
    reply.segments.push_back({segment.at("at_ms"), segment.contains("hex")
                                                       ? from_hex(segment.at("hex"))
                                                       : segment.at("text").get<std::string>()});
  }
  const std::string close = json.at("close");
  reply.close = close == "clean"   ? testing::StubReply::Close::Clean
                : close == "abort" ? testing::StubReply::Close::Abort
                                   : testing::StubReply::Close::Never;
  reply.close_at_ms = json.value("close_at_ms", 0);
  return reply;
}

}  // namespace paretune::load
