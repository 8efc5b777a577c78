// Includes go only downwards: the table in docs/architecture.md is read and every #include of our own is held
// against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = PARETUNE_SOURCE_DIR;

struct Module {
  int level = 0;
  std::set<std::string> may_use;
};
using Table = std::map<std::string, Module>;

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty() && word != "–") words.insert(word);
  }
  return words;
}

Table read_table() {
  static const std::regex row(R"(\| (\d) \| `(\w+)` \|[^|]*\| ([^|]+) \|)");
  Table table;
  std::ifstream file(kRoot / "docs" / "architecture.md");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) table[match[2]] = {std::stoi(match[1]), words_of(match[3])};
  }
  return table;
}

struct Include {
  fs::path file;
  std::string from, to;
};

/// `#include "paretune/X/…"` and `#include "X/…"` (private headers of src/X) of one file of module `from`.
void collect(const fs::path& file, const std::string& from, const Table& table, std::vector<Include>& out) {
  static const std::regex include_line(R"re(\s*#\s*include\s+"(?:paretune/)?(\w+)/.*)re");
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (std::regex_match(line, match, include_line) && table.contains(match[1])) {
      out.push_back({file.lexically_relative(kRoot), from, match[1]});
    }
  }
}

std::vector<Include> all_includes(const Table& table) {
  std::vector<Include> out;
  for (const char* top : {"include/paretune", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      collect(entry.path(), *entry.path().lexically_relative(kRoot / top).begin(), table, out);
    }
  }
  return out;
}

TEST(Layers, TableNamesEveryModuleThatExists) {
  const Table table = read_table();
  for (const auto& entry : fs::directory_iterator(kRoot / "src")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(table.contains(entry.path().filename())) << entry.path();
  }
}

TEST(Layers, TableAllowsOnlyEdgesToLowerLevelsOrEarlierRowsOfTheSame) {
  const Table table = read_table();
  ASSERT_GE(table.size(), 13u);
  for (const auto& [name, module] : table) {
    for (const std::string& used : module.may_use) {
      ASSERT_TRUE(table.contains(used)) << name << " uses " << used;
      EXPECT_LT(table.at(used).level, module.level) << name << " uses " << used;
    }
  }
}

TEST(Layers, EveryIncludeIsInTheTable) {
  const Table table = read_table();
  const std::vector<Include> includes = all_includes(table);
  ASSERT_GT(includes.size(), 20u);
  for (const Include& include : includes) {
    ASSERT_TRUE(table.contains(include.from)) << include.file << " is of no module of the table";
    if (include.from == include.to) continue;
    EXPECT_THAT(table.at(include.from).may_use, testing::Contains(include.to))
        << include.file << ": " << include.from << " may not include " << include.to;
  }
}

TEST(Layers, PublicHeadersKeepHeavyThirdPartyHeadersOut) {
  static const std::regex heavy(
      R"(\s*#\s*include\s+[<"](nlohmann/json\.hpp|yaml-cpp/|boost/|curl/|Eigen/|spdlog/|CLI/|SQLiteCpp/).*)");
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "include")) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      EXPECT_FALSE(std::regex_match(line, heavy)) << entry.path() << ": " << line;
    }
  }
}

}  // namespace
