// The module table of docs/architecture.md, as a test: an include that goes up or sideways fails here.
#include <gtest/gtest.h>

#include <algorithm>
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
using Modules = std::set<std::string>;

const fs::path kRoot = PARETUNE_SOURCE_ROOT;

Modules words_of(const std::string& cell) {
  Modules words;
  std::istringstream stream(cell);
  for (std::string word; std::getline(stream, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    if (word != "–") words.insert(word);
  }
  return words;
}

/// Module -> the modules that it may include, from the table itself. A new row or word there is a design
/// decision.
const std::map<std::string, Modules>& may_use() {
  static const std::map<std::string, Modules> table = [] {
    static const std::regex row(R"(\| (\d) \| `(\w+)` \|[^|]*\| ([^|]+) \|)");
    std::map<std::string, Modules> rows;
    std::ifstream file(kRoot / "docs" / "architecture.md");
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (std::regex_match(line, match, row)) rows[match[2]] = words_of(match[3]);
    }
    return rows;
  }();
  return table;
}

struct Edge {
  std::string from, to, file;
  int line = 0;
  std::string where() const { return file + ":" + std::to_string(line); }
};

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".hpp" || extension == ".cpp" || extension == ".h" || extension == ".cu";
}

/// The module that a quoted include names: "paretune/core/text.hpp" and (private headers, relative to src)
/// "core/utf8.hpp" both name core. Empty for anything else.
std::string module_of_include(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line[begin] != '#') return "";
  const std::size_t word = line.find_first_not_of(" \t", begin + 1);
  if (word == std::string::npos || line.compare(word, 7, "include") != 0) return "";
  const std::size_t open = line.find_first_of("\"<", word + 7);
  if (open == std::string::npos) return "";
  const std::size_t close = line.find_first_of("\">", open + 1);
  std::string target = line.substr(open + 1, close - open - 1);
  static const std::string kPublic = "paretune/";
  if (target.rfind(kPublic, 0) == 0) target.erase(0, kPublic.size());
  const std::string module = target.substr(0, target.find('/'));
  return target.find('/') != std::string::npos && may_use().count(module) > 0 ? module : "";
}

std::vector<Edge> edges_below(const fs::path& root) {
  std::vector<Edge> edges;
  for (const fs::directory_entry& module : fs::directory_iterator(root)) {
    if (!module.is_directory()) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(module.path())) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      std::ifstream file(entry.path());
      std::string line;
      for (int number = 1; std::getline(file, line); ++number) {
        const std::string to = module_of_include(line);
        if (!to.empty()) {
          edges.push_back(
              {module.path().filename().string(), to, fs::relative(entry.path(), kRoot).string(), number});
        }
      }
    }
  }
  return edges;
}

std::vector<Edge> all_edges() {
  std::vector<Edge> edges = edges_below(kRoot / "include" / "paretune");
  const std::vector<Edge> private_edges = edges_below(kRoot / "src");
  edges.insert(edges.end(), private_edges.begin(), private_edges.end());
  return edges;
}

TEST(Layers, GoOnlyDownTheTable) {
  for (const Edge& edge : all_edges()) {
    if (edge.from == edge.to) continue;
    const auto row = may_use().find(edge.from);
    ASSERT_NE(row, may_use().end()) << edge.where() << ": the module '" << edge.from
                                    << "' is not in the table";
    EXPECT_TRUE(row->second.count(edge.to) > 0)
        << edge.where() << ": " << edge.from << " may not use " << edge.to;
  }
}

TEST(Layers, HaveNoCycles) {
  ASSERT_GE(may_use().size(), 14u) << "the table of docs/architecture.md was not understood";
  std::set<std::string> done;
  while (done.size() < may_use().size()) {
    const std::size_t before = done.size();
    for (const auto& [module, uses] : may_use()) {
      if (std::includes(done.begin(), done.end(), uses.begin(), uses.end())) done.insert(module);
    }
    ASSERT_GT(done.size(), before) << "the table itself has a cycle";
  }
}

TEST(Layers, KeepSlowThirdPartyHeadersOutOfPublicHeaders) {
  static const std::regex slow(
      R"re(\s*#\s*include\s+[<"](nlohmann/json\.hpp|yaml-cpp/|boost/|curl/|Eigen/|spdlog/|CLI/|SQLiteCpp/).*)re");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "include")) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      EXPECT_FALSE(std::regex_match(line, slow)) << entry.path() << ": " << line;
    }
  }
}

TEST(Layers, AreReadFromRealIncludes) {
  const std::vector<Edge> edges = all_edges();
  const auto has = [&](const std::string& from, const std::string& to) {
    return std::any_of(edges.begin(), edges.end(),
                       [&](const Edge& e) { return e.from == from && e.to == to; });
  };
  EXPECT_TRUE(has("space", "core")) << "the reader of includes finds nothing";
  EXPECT_EQ(module_of_include("#include \"paretune/space/space.hpp\"  // why"), "space");
  EXPECT_EQ(module_of_include("  #  include <paretune/core/text.hpp>"), "core");
  EXPECT_EQ(module_of_include("#include \"core/utf8.hpp\""), "core");
  EXPECT_EQ(module_of_include("#include <vector>"), "");
  EXPECT_EQ(module_of_include("// #include \"paretune/space/space.hpp\""), "");
}

}  // namespace
