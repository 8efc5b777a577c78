// Short ways to a space for the tests of this module.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "paretune/core/document.hpp"
#include "paretune/core/file.hpp"
#include "paretune/space/space.hpp"

namespace paretune::space {

inline std::string case_text(const std::string& name) {
  return core::read_file(std::string(PARETUNE_TEST_DATA "/cases/") + name).value();
}

/// The `space` section in `yaml`, or under `key` of it. @throws std::runtime_error listing the faults.
inline SpaceSection section_of(const std::string& yaml, const std::string& key = "") {
  const core::Document document = core::parse_document(yaml, "space.yaml").value();
  core::Diagnostics diagnostics;
  const core::Node* node = key.empty() ? &document.root : document.root.find(key);
  SpaceSection section = read_space(node, diagnostics);
  if (!diagnostics.ok()) throw std::runtime_error(diagnostics.to_error("space.yaml").message);
  return section;
}

inline Space space_of(const std::string& yaml, const std::vector<std::string>& constraints = {}) {
  const SpaceSection section = section_of(yaml);
  core::Result<Space> space = Space::create(section.parameters, section.links, constraints);
  if (!space) throw std::runtime_error(space.error().message);
  return std::move(*space);
}

/// Faults that the section reader finds, one a line.
inline std::string faults_of(const std::string& yaml, const std::string& key = "") {
  const core::Document document = core::parse_document(yaml, "space.yaml").value();
  core::Diagnostics diagnostics;
  read_space(key.empty() ? &document.root : document.root.find(key), diagnostics);
  return diagnostics.ok() ? "" : diagnostics.to_error("space.yaml").message;
}

}  // namespace paretune::space
