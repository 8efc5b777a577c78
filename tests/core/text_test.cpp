#include "paretune/core/text.hpp"

#include <gtest/gtest.h>

#include <array>

#include "paretune/core/random.hpp"

namespace paretune::core {
namespace {

using Words = std::vector<std::string>;

TEST(Nearest, FindsTheWordThatWasMeant) {
  const Words known{"max-num-seqs", "max-num-batched-tokens", "block-size", "threads"};
  EXPECT_EQ(nearest("max-num-seq", known), "max-num-seqs");
  EXPECT_EQ(nearest("MAX_NUM_SEQS", known), "max-num-seqs");
  EXPECT_EQ(nearest("blocksize", known), "block-size");
  EXPECT_EQ(nearest("thraeds", known), "threads") << "a swap of neighbours is one mistake";
  EXPECT_EQ(nearest("temperature", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest("x", Words{}), std::nullopt);
  EXPECT_EQ(did_you_mean("thread", known), "did you mean 'threads'?");
  EXPECT_EQ(did_you_mean("nothing", known), "");
}

TEST(Nearest, DoesNotSuggestAShortWordForAnother) {
  EXPECT_EQ(nearest("tp", Words{"pp", "dp"}), std::nullopt);
  EXPECT_EQ(nearest("on", Words{"off"}), std::nullopt);
}

TEST(Split, IsUndoneByJoin) {
  EXPECT_EQ(split("a,,b", ','), (Words{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Words{""}));
  EXPECT_EQ(join(split("a,b,", ','), ","), "a,b,");
  EXPECT_EQ(join(Words{}, ","), "");
}

TEST(Trim, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim("  a b\r\n"), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(to_lower("AbC-9"), "abc-9");
  static constexpr std::array<std::string_view, 2> kPrefixes{"--", "http"};
  EXPECT_TRUE(starts_with_any("--x", kPrefixes));
  EXPECT_FALSE(starts_with_any("x", kPrefixes));
}

TEST(ShellQuote, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(shell_quote("--name=a/b.c"), "--name=a/b.c");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("{\"a\":1}"), "'{\"a\":1}'");
  EXPECT_EQ(shell_quote("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quote("~/x"), "'~/x'");
  EXPECT_EQ(shell_join(Words{"echo", "a b", "c"}), "echo 'a b' c");
}

TEST(ShellQuote, SurvivesARealShell) {
  for (const std::string word :
       {"plain", "a b", "it's", "$(x) `y` \\", "*?[a]", "\"", "a\nb", "-n", "#", "=x", "!"}) {
    const std::string command = "printf %s " + shell_quote(word);
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string read(64, '\0');
    read.resize(fread(read.data(), 1, read.size(), pipe));
    pclose(pipe);
    EXPECT_EQ(read, word);
  }
}

TEST(IsSecretName, KnowsKeysFromCounts) {
  for (const char* name : {"--api-key", "HF_TOKEN", "OPENAI_API_KEY", "token", "apiKey", "--password",
                           "Authorization", "client-secret", "AWS_SECRET_ACCESS_KEY"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"--max-num-batched-tokens", "tokenizer", "--tokens-per-step", "cache-type-k",
                           "monkey", "--api-key-file", "first-token", "eos-token", "", "--", "keyboard"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(MaskSecrets, HidesValuesAfterAndInsideArguments) {
  const Words argv{"env",
                   "HF_TOKEN=abc",
                   "vllm",
                   "--api-key",
                   "abc",
                   "--model",
                   "m",
                   "--api-key=abc",
                   "-H",
                   "Authorization: Bearer abc",
                   "--max-tokens",
                   "5"};
  EXPECT_EQ(mask_secrets(argv), (Words{"env", "HF_TOKEN=***", "vllm", "--api-key", "***", "--model", "m",
                                       "--api-key=***", "-H", "Authorization: ***", "--max-tokens", "5"}));
}

TEST(MaskSecrets, KeepsAFlagThatFollowsASecretFlag) {
  EXPECT_EQ(mask_secrets(Words{"--api-key", "--port", "8"}), (Words{"--api-key", "--port", "8"}));
  EXPECT_EQ(mask_secrets(Words{"http://h:8000/v1"}), (Words{"http://h:8000/v1"}));
}

TEST(Printable, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(printable("\x1b[31m"), "\xEF\xBF\xBD[31m");
  EXPECT_EQ(printable("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(printable("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "cut in the middle of a character";
  EXPECT_EQ(printable("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD") << "overlong";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80").size(), 12U) << "beyond Unicode";
  EXPECT_EQ(printable("\xC2\x85"), "\xEF\xBF\xBD") << "a C1 control";
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\xEF\xBF\xBD");
}

TEST(Printable, MakesTextOfAnyBytes) {
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (std::size_t n = random.index(12); n > 0; --n) bytes += static_cast<char>(random.index(256));
    const std::string once = printable(bytes);
    EXPECT_EQ(printable(once), once);
  }
}

}  // namespace
}  // namespace paretune::core
