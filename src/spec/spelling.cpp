#include "spec/spelling.hpp"

#include "paretune/core/units.hpp"

namespace paretune::spec {

namespace {

using core::Node;

void apply(Node& node, const std::string& path, const Node& texts) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    apply(node.items[i], path + "[" + std::to_string(i) + "]", texts);
  }
  for (core::Member& member : node.members) {
    apply(member.value, path.empty() ? member.key : path + "." + member.key, texts);
  }
  if (node.kind != Node::Kind::Real) return;
  const Node* written = texts.find(path);
  if (written == nullptr || written->kind != Node::Kind::String) return;
  const core::Result<double> value = core::parse_number(written->text);
  if (value && *value == node.real) node.text = written->text;
}

}  // namespace

void apply_spelling(core::Document& document) {
  const Node* found = document.root.find("as_written");
  if (found == nullptr) return;
  const Node texts = *found;
  for (core::Member& member : document.root.members) {
    if (member.key != "as_written") apply(member.value, member.key, texts);
  }
}

}  // namespace paretune::spec
