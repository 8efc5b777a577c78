#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "paretune/core/text.hpp"
#include "space/expression_tree.hpp"

namespace paretune::space::detail {

namespace {

constexpr std::size_t kMaxLength = 4096;  // bounds the depth of a chain such as 1+1+1…
constexpr int kMaxNesting = 64;

using OperatorName = std::pair<std::string_view, Operator>;
constexpr std::array<OperatorName, 6> kComparisons{{{"==", Operator::Equal},
                                                    {"!=", Operator::NotEqual},
                                                    {"<=", Operator::LessEqual},
                                                    {">=", Operator::GreaterEqual},
                                                    {"<", Operator::Less},
                                                    {">", Operator::Greater}}};
constexpr std::array<OperatorName, 2> kSums{{{"+", Operator::Add}, {"-", Operator::Subtract}}};
constexpr std::array<OperatorName, 3> kProducts{
    {{"*", Operator::Multiply}, {"/", Operator::Divide}, {"%", Operator::Modulo}}};

/// Recursive descent; one function per level of precedence, loosest first.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& known_names)
      : text_(text), known_(known_names), tokens_(tokenize(text)) {
    tree_.text = std::string(text);
  }

  Expression::Tree run() {
    if (token().kind == Token::Kind::End) throw ParseFault{0, "the expression is empty", ""};
    tree_.root = disjunction();
    if (token().kind != Token::Kind::End) unexpected();
    sort_names();
    return std::move(tree_);
  }

 private:
  /// Counts one level of recursion for as long as it lives.
  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > kMaxNesting) throw ParseFault{parser.token().begin, "is nested too deep", ""};
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --depth; }
    int& depth;
  };

  std::size_t disjunction() {
    const Nesting nesting(*this);
    std::size_t left = conjunction();
    while (take_word("or")) left = add(Operator::Or, left, conjunction());
    return left;
  }

  std::size_t conjunction() {
    std::size_t left = negation();
    while (take_word("and")) left = add(Operator::And, left, negation());
    return left;
  }

  std::size_t negation() {
    const Nesting nesting(*this);
    if (take_word("not")) return add(Operator::Not, negation());
    return comparison();
  }

  std::size_t comparison() {
    std::size_t left = sum();
    const bool negated = is_word("not") && is_word("in", 1);
    if (negated) ++at_;
    if (take_word("in")) {
      left = membership(left);
      if (negated) left = add(Operator::Not, left);
    } else if (const auto op = take(kComparisons)) {
      const bool by_value = *op == Operator::Equal || *op == Operator::NotEqual;
      left = add(*op, left, by_value ? word_or(&Parser::sum) : sum());
    } else {
      return left;
    }
    if (peek(kComparisons) || is_word("in")) {
      throw ParseFault{token().begin, "comparisons cannot be chained", "write 1 <= x and x <= 4"};
    }
    return left;
  }

  std::size_t membership(std::size_t left) {
    if (!take_symbol("[")) throw ParseFault{token().begin, "'in' needs a list", "write x in [1, 2]"};
    TreeNode node;
    node.op = Operator::In;
    node.left = left;
    while (!take_symbol("]")) {
      if (!node.items.empty() && !take_symbol(",")) unexpected();
      node.items.push_back(word_or(&Parser::sum));
    }
    return push(std::move(node));
  }

  /// A bare word that names nothing and stands alone is a text; everything else is what `otherwise` reads.
  std::size_t word_or(std::size_t (Parser::*otherwise)()) {
    const Token& word = token();
    const bool alone = !peek(kSums, 1) && !peek(kProducts, 1);
    if (word.kind != Token::Kind::Word || !alone || is_known(word.text) || is_keyword(word.text)) {
      return (this->*otherwise)();
    }
    ++at_;
    return literal(word.text);
  }

  std::size_t sum() {
    std::size_t left = product();
    while (const auto op = peek(kSums)) {
      if (*op == Operator::Subtract) require_blanks_around_minus();
      ++at_;
      left = add(*op, left, product());
    }
    return left;
  }

  std::size_t product() {
    std::size_t left = unary();
    while (const auto op = take(kProducts)) left = add(*op, left, unary());
    return left;
  }

  std::size_t unary() {
    const Nesting nesting(*this);
    if (take_symbol("-")) return add(Operator::Negate, unary());
    return primary();
  }

  std::size_t primary() {
    const Token current = token();
    if (take_symbol("(")) {
      const std::size_t inside = disjunction();
      if (!take_symbol(")")) throw ParseFault{token().begin, "')' is missing", ""};
      return inside;
    }
    if (current.kind == Token::Kind::Symbol || current.kind == Token::Kind::End) unexpected();
    if (current.kind == Token::Kind::Word && !is_known(current.text)) refuse_word(current);
    ++at_;
    if (current.kind == Token::Kind::Number) return number(current.number);
    if (current.kind == Token::Kind::Text) return literal(current.text);
    if (current.text == "true" || current.text == "false") return literal(current.text == "true");
    return name(current.text);
  }

  // Building

  std::size_t push(TreeNode node) {
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }
  std::size_t add(Operator op, std::size_t left, std::size_t right = 0) {
    TreeNode node;
    node.op = op;
    node.left = left;
    node.right = right;
    return push(std::move(node));
  }
  std::size_t literal(Value value) {
    TreeNode node;
    node.literal = std::move(value);
    return push(std::move(node));
  }
  std::size_t number(double value) {
    const bool whole =
        value == static_cast<double>(static_cast<std::int64_t>(std::clamp(value, -9e15, 9e15)));
    return literal(whole ? Value(static_cast<std::int64_t>(value)) : Value(value));
  }
  std::size_t name(const std::string& text) {
    const auto found = std::find(tree_.names.begin(), tree_.names.end(), text);
    TreeNode node;
    node.op = Operator::Name;
    node.slot = static_cast<std::size_t>(found - tree_.names.begin());
    if (found == tree_.names.end()) tree_.names.push_back(text);
    return push(std::move(node));
  }
  void sort_names() {
    std::vector<std::string> sorted = tree_.names;
    std::sort(sorted.begin(), sorted.end());
    for (TreeNode& node : tree_.nodes) {
      if (node.op != Operator::Name) continue;
      const auto found = std::lower_bound(sorted.begin(), sorted.end(), tree_.names[node.slot]);
      node.slot = static_cast<std::size_t>(found - sorted.begin());
    }
    tree_.names = std::move(sorted);
  }

  // Looking at tokens

  const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::Word && token(ahead).text == word;
  }
  bool take_word(std::string_view word) {
    const bool found = is_word(word);
    if (found) ++at_;
    return found;
  }
  bool take_symbol(std::string_view symbol) {
    const bool found = token().kind == Token::Kind::Symbol && token().text == symbol;
    if (found) ++at_;
    return found;
  }
  std::optional<Operator> peek(std::span<const OperatorName> operators, std::size_t ahead = 0) const {
    if (token(ahead).kind != Token::Kind::Symbol) return std::nullopt;
    for (const auto& [symbol, op] : operators) {
      if (token(ahead).text == symbol) return op;
    }
    return std::nullopt;
  }
  std::optional<Operator> take(std::span<const OperatorName> operators) {
    const std::optional<Operator> op = peek(operators);
    if (op) ++at_;
    return op;
  }
  bool is_known(const std::string& word) const {
    return word == "true" || word == "false" || std::find(known_.begin(), known_.end(), word) != known_.end();
  }
  static bool is_keyword(const std::string& word) {
    return word == "and" || word == "or" || word == "not" || word == "in";
  }

  // Faults

  [[noreturn]] void unexpected() const {
    if (token().kind == Token::Kind::End)
      throw ParseFault{token().begin, "the expression ends too early", ""};
    const bool minus_in_word =
        token().text.starts_with("-") || (at_ > 0 && tokens_[at_ - 1].text.ends_with("-"));
    throw ParseFault{token().begin, "unexpected '" + token().text + "'",
                     minus_in_word ? "a minus needs blanks on both sides" : ""};
  }
  [[noreturn]] void refuse_word(const Token& word) const {
    if (is_keyword(word.text)) unexpected();
    static const std::string kMinus = "a minus needs blanks on both sides";
    std::string hint = word.text.ends_with("-") ? kMinus : core::did_you_mean(word.text, known_);
    if (hint.empty() && word.text.find('-') != std::string::npos) hint = kMinus;
    if (hint.empty()) hint = "quote it if it is a text";
    throw ParseFault{word.begin, "unknown name '" + word.text + "'", std::move(hint)};
  }
  void require_blanks_around_minus() const {
    const auto blank = [&](std::size_t offset) { return offset < text_.size() && text_[offset] == ' '; };
    if (token().begin > 0 && blank(token().begin - 1) && blank(token().end)) return;
    throw ParseFault{token().begin, "unclear '-'", "a minus needs blanks on both sides"};
  }

  std::string_view text_;
  const std::vector<std::string>& known_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression::Tree tree_;
};

}  // namespace

Expression::Tree parse_tree(std::string_view text, const std::vector<std::string>& known_names) {
  if (text.size() > kMaxLength) throw ParseFault{0, "is longer than 4096 characters", ""};
  return Parser(text, known_names).run();
}

}  // namespace paretune::space::detail
