#include <array>

#include "paretune/core/units.hpp"
#include "space/expression_tree.hpp"

namespace paretune::space::detail {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_word_start(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         byte >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      tokens.push_back(next());
    } while (tokens.back().kind != Token::Kind::End);
    return tokens;
  }

 private:
  Token next() {
    const std::size_t begin = at_;
    if (at_ == text_.size()) return {Token::Kind::End, "", 0, begin, begin};
    if (is_word_start(text_[at_])) return word();
    if (text_[at_] == '\'' || text_[at_] == '"') return quoted();
    return symbol();
  }

  /// The exponent sign of a number such as 1e+3 is the only '+' inside a word; a dash is part of every word.
  bool continues_word(std::size_t begin) const {
    const char c = text_[at_];
    if (is_word_start(c) || c == '-') return true;
    const std::string_view before = text_.substr(begin, at_ - begin);
    const bool exponent = before.size() > 1 && (before.back() == 'e' || before.back() == 'E') &&
                          before.find_first_not_of("0123456789.") == before.size() - 1;
    return c == '+' && exponent;
  }

  Token word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_word(begin)) ++at_;
    Token token{Token::Kind::Word, std::string(text_.substr(begin, at_ - begin)), 0, begin, at_};
    const bool numeric = token.text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    if (const auto number = core::parse_number(token.text); numeric && number) {
      token.kind = Token::Kind::Number;
      token.number = *number;
    }
    return token;
  }

  Token quoted() {
    const std::size_t begin = at_;
    const char quote = text_[at_++];
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_++];
    }
    if (at_ == text_.size()) throw ParseFault{begin, "this quote is not closed", ""};
    ++at_;
    return {Token::Kind::Text, std::move(value), 0, begin, at_};
  }

  Token symbol() {
    static constexpr std::array<std::string_view, 15> kSymbols{"==", "!=", "<=", ">=", "<", ">", "+", "-",
                                                               "*",  "/",  "%",  "(",  ")", "[", "]"};
    for (const std::string_view candidate : kSymbols) {
      if (text_.substr(at_).starts_with(candidate)) return take_symbol(candidate);
    }
    if (text_[at_] == ',') return take_symbol(",");
    throw ParseFault{at_, "unexpected '" + std::string(text_.substr(at_, 1)) + "'", hint_for(text_[at_])};
  }

  Token take_symbol(std::string_view symbol) {
    const std::size_t begin = at_;
    at_ += symbol.size();
    return {Token::Kind::Symbol, std::string(symbol), 0, begin, at_};
  }

  static std::string hint_for(char c) {
    if (c == '=') return "write == to compare";
    if (c == '&') return "write 'and'";
    if (c == '|') return "write 'or'";
    if (c == '!') return "write 'not'";
    return "";
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Lexer(text).run();
}

}  // namespace paretune::space::detail
