#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <map>
#include <sstream>

#include "core/document_detail.hpp"
#include "paretune/core/text.hpp"

namespace paretune::core::detail {

namespace {

Position position_of(const TextIndex& index, const YAML::Mark& mark) {
  if (mark.line < 0) return {};
  return index.at(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
}

/// yaml-cpp takes the end of the file for the end of a quoted text. @throws SyntaxFault if the quote is not
/// closed.
void require_closed_quote(const TextIndex& index, const YAML::Mark& mark) {
  if (mark.line < 0) return;
  std::string_view rest =
      index.from(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
  // An anchor or a tag may stand before the quote.
  const std::size_t open = rest.find_first_of("\"'");
  if (open == std::string_view::npos) return;
  const char quote = rest[open];
  for (std::size_t i = open + 1; i < rest.size(); ++i) {
    if (quote == '"' && rest[i] == '\\') {
      ++i;
    } else if (rest[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < rest.size() && rest[i + 1] == quote;
      if (!doubled) return;
      ++i;
    }
  }
  throw SyntaxFault{position_of(index, mark), "this quote is not closed", ""};
}

/// Turns yaml-cpp's events into a tree. Scalars are resolved here, because yaml-cpp follows YAML 1.1 in part.
class YamlHandler final : public YAML::EventHandler {
 public:
  explicit YamlHandler(const TextIndex& index) : index_(index) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(resolve_plain("", position_of(index_, mark)), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Position position = position_of(index_, mark);
    if (tag == "?" && value == "<<" && builder_.expects_key()) {
      throw SyntaxFault{position, "merge keys (<<) are not supported", "write the keys out"};
    }
    // Block scalars come with the same tag, but begin with | or >.
    if (tag == "!" && !is_block_scalar(mark)) require_closed_quote(index_, mark);
    add(scalar(tag, value, position), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Position position = position_of(index_, mark);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw SyntaxFault{position, "this alias refers to itself", ""};
    if (!found->second.is_scalar()) builder_.charge(count_nodes(found->second), position);
    builder_.add(found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Node::Kind::Sequence, mark, tag, "tag:yaml.org,2002:seq", anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Node::Kind::Mapping, mark, tag, "tag:yaml.org,2002:map", anchor);
  }
  void OnMapEnd() override { end(); }

  Node take() { return builder_.take(); }

 private:
  bool is_block_scalar(const YAML::Mark& mark) const {
    if (mark.line < 0) return true;
    const std::string_view line = index_.line(static_cast<std::size_t>(mark.line));
    const std::size_t indicator = line.find_first_of("|>\"'", static_cast<std::size_t>(mark.column));
    return indicator != std::string_view::npos && (line[indicator] == '|' || line[indicator] == '>');
  }
  static Node scalar(const std::string& tag, const std::string& value, Position position) {
    if (tag == "?" || tag.empty()) return resolve_plain(value, position);
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return string_node(value, position);
    Node node = resolve_plain(value, position);
    const bool fits = (tag == "tag:yaml.org,2002:int" && node.kind == Node::Kind::Integer) ||
                      (tag == "tag:yaml.org,2002:float" && node.is_number()) ||
                      (tag == "tag:yaml.org,2002:bool" && node.kind == Node::Kind::Boolean) ||
                      (tag == "tag:yaml.org,2002:null" && node.kind == Node::Kind::Null);
    if (fits) return node;
    throw SyntaxFault{position, "the tag " + tag + " does not fit the value '" + value + "'",
                      "leave the tag out"};
  }
  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_.insert_or_assign(anchor, node);
    builder_.add(std::move(node));
  }
  void begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, const char* own_tag,
             YAML::anchor_t anchor) {
    const Position position = position_of(index_, mark);
    if (!tag.empty() && tag != "?" && tag != "!" && tag != own_tag) {
      throw SyntaxFault{position, "unknown tag " + tag, "leave the tag out"};
    }
    builder_.begin(kind, position);
    if (anchor != 0) builder_.keep_copy();
    open_anchors_.push_back(anchor);
  }
  void end() {
    Node copy = builder_.end();
    const YAML::anchor_t anchor = open_anchors_.back();
    open_anchors_.pop_back();
    if (anchor != 0) anchors_.insert_or_assign(anchor, std::move(copy));
  }

  const TextIndex& index_;
  TreeBuilder builder_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::vector<YAML::anchor_t> open_anchors_;
};

/// What to do about a fault, by yaml-cpp's words for it.
std::string hint_for(const TextIndex& index, const YAML::Exception& error) {
  using Hint = std::pair<std::string_view, const char*>;
  static constexpr std::array<Hint, 7> kHints{{
      {"illegal map value", "check the indentation; a text that holds ': ' needs quotes"},
      {"end of map not found", "check the indentation and the quotes of this line"},
      {"end of sequence not found", "check the indentation and the quotes of this line"},
      {"end of map flow not found", "a '}' or a comma is missing"},
      {"end of sequence flow not found", "a ']' or a comma is missing"},
      {"illegal EOF in scalar", "a quote is not closed"},
      {"unknown token", "a text that begins with @, ` or % needs quotes"},
  }};
  if (error.mark.line >= 0) {
    const std::string_view line = index.line(static_cast<std::size_t>(error.mark.line));
    const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
    if (indentation.find('\t') != std::string_view::npos)
      return "YAML is indented with blanks, not with tabs";
  }
  for (const auto& [words, hint] : kHints) {
    if (error.msg == words) return hint;
  }
  return "";
}

/// Remembers where a document begins.
class FirstPlace final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { see(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { see(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
    see(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    see(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    see(mark);
  }
  void OnMapEnd() override {}

  YAML::Mark place = YAML::Mark::null_mark();

 private:
  void see(const YAML::Mark& mark) {
    if (place.is_null()) place = mark;
  }
};

/// @throws SyntaxFault if anything follows the first document.
void require_end(YAML::Parser& parser, const TextIndex& index, std::string_view text) {
  if (!parser) return;
  FirstPlace next;
  if (!parser.HandleNextDocument(next)) return;
  if (text.find("\n---") != std::string_view::npos) {
    throw SyntaxFault{position_of(index, next.place), "more than one document in the file",
                      "keep one, without '---' between"};
  }
  throw SyntaxFault{position_of(index, next.place), "unexpected text after the end of the document",
                    "check the indentation"};
}

}  // namespace

Node parse_yaml(std::string_view text) {
  const TextIndex index(text);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    YamlHandler handler(index);
    if (!parser.HandleNextDocument(handler)) throw SyntaxFault{{}, "the file holds nothing but comments", ""};
    require_end(parser, index, text);
    return handler.take();
  } catch (const YAML::Exception& error) {
    throw SyntaxFault{position_of(index, error.mark), error.msg, hint_for(index, error)};
  }
}

}  // namespace paretune::core::detail
