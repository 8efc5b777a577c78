// The HTML report: what the text holds, and what a real browser makes of it (skipped only where there is no
// Chromium).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "paretune/report/report_data.hpp"
#include "report/html_data.hpp"
#include "report/studies.hpp"

namespace paretune::report {
namespace {

using core::Json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string chromium() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    for (const char* directory : {"/usr/bin/", "/usr/local/bin/", "/snap/bin/"}) {
      const std::string path = std::string(directory) + name;
      if (::access(path.c_str(), X_OK) == 0) return path;
    }
  }
  return "";
}

/// The page after its scripts ran. `script` runs last; what it returns is the text of the element
/// "test-result".
struct Page {
  std::string dom, errors, result;
};

std::string element_text(const std::string& dom, const std::string& id) {
  std::smatch match;
  const std::regex element("id=\"" + id + "\"[^>]*>([^<]*)<");
  return std::regex_search(dom, match, element) ? match[1].str() : "(no element " + id + ")";
}

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (chromium().empty()) GTEST_SKIP() << "chromium is not installed (make test installs it)";
    directory_ = std::filesystem::temp_directory_path() / ("paretune_html_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override {
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  Page open(const ReportData& data, const std::string& script, const std::string& size = "1280,900") {
    std::string html = render_html(data);
    const std::string probe =
        "<output id=\"test-result\" "
        "hidden></output><script>(async () => {" +
        script +
        "})().then((text) => { document.getElementById('test-result').textContent = text; "
        "});</script></body>";
    html.replace(html.rfind("</body>"), 7, probe);
    const auto file = directory_ / "report.html";
    std::ofstream(file, std::ios::binary) << html;
    const std::string command =
        "timeout 90 " + chromium() +
        " --headless=new --no-sandbox --disable-gpu --user-data-dir=" + (directory_ / "profile").string() +
        " --window-size=" + size + " --virtual-time-budget=3000 --dump-dom file://" + file.string() +
        " 2>/dev/null";
    Page page;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 65536> buffer{};
    for (std::size_t n = 0; (n = ::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      page.dom.append(buffer.data(), n);
    ::pclose(pipe);
    page.errors = element_text(page.dom, "script-errors");
    page.result = element_text(page.dom, "test-result");
    return page;
  }
  std::filesystem::path directory_;
};

TEST(Html, LoadsNothingFromOutside) {
  const std::string html = render_html(testing::example_report());
  EXPECT_FALSE(
      std::regex_search(html, std::regex("(src|href)\\s*=\\s*[\"']?\\s*(https?:|//)", std::regex::icase)));
  EXPECT_FALSE(
      std::regex_search(html, std::regex("@import|url\\(\\s*[\"']?(https?:|//)", std::regex::icase)));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr("Chart.js v")) << "the library keeps its licence notice";
  EXPECT_THAT(html, HasSubstr("MIT License"));
}

TEST(Html, HoldsTheDataOfTheStudy) {
  const Json data = html_data(testing::example_report());
  EXPECT_EQ(data["points"].size(), 6u);
  EXPECT_EQ(data["front"].size(), 3u);
  EXPECT_EQ(data["failures"].size(), 1u);
  EXPECT_EQ(data["findings"][0]["code"], "client_limited");
  EXPECT_EQ(data["commands"]["2"], "llama-server --parallel 4 --api-key '***' --port 8080");
  EXPECT_EQ(data["parameters"], Json::array({"parallel"}));
  EXPECT_EQ(data["environment"]["cores"], 2);
}

TEST(ScriptSafe, LetsNoValueEndTheScript) {
  const Json json = {{"a", "</script><!--&\xE2\x80\xA8\xE2\x80\xA9"}};
  const std::string text = script_safe(json);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("&")));
  EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xA8")));
  EXPECT_EQ(Json::parse(text), json);
}

TEST(HtmlEscape, CoversContentAndAttributes) {
  EXPECT_EQ(html_escape("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
}

TEST_F(Browser, DrawsThePageWithoutErrors) {
  const Page page = open(testing::example_report(),
                         "return document.querySelectorAll('#point-table tbody tr').length + ' rows, chart ' "
                         "+ (document.getElementById('chart').width > 300);");
  EXPECT_EQ(page.errors, "");
  EXPECT_EQ(page.result, "3 rows, chart true");
  EXPECT_THAT(page.dom, HasSubstr("+100.0 % better"));
  EXPECT_THAT(page.dom, HasSubstr("out_of_memory at start"));
}

TEST_F(Browser, ShowsAPointWhenItsRowIsChosen) {
  const ReportData data = testing::example_report();
  const Page page = open(data,
                         "document.querySelectorAll('#point-table tbody button')[0].click(); return "
                         "document.getElementById('details-body').textContent;");
  EXPECT_EQ(page.errors, "");
  EXPECT_THAT(page.result, HasSubstr(data.front[0]));
  EXPECT_THAT(page.result, HasSubstr("llama-server --parallel 4"));
  EXPECT_THAT(page.result, HasSubstr("200 tok/s"));
}

TEST_F(Browser, ShowsAPointWhenItIsClickedInTheChart) {
  const Page page = open(testing::example_report(), R"js(
    const canvas = document.getElementById('chart');
    const chart = Chart.getChart(canvas);
    const set = chart.data.datasets.findIndex((s) => s.bars && s.data.some((d) => d.point.metrics.includes(200)));
    const index = chart.data.datasets[set].data.findIndex((d) => d.point.metrics.includes(200));
    const at = chart.getDatasetMeta(set).data[index].getProps(['x', 'y'], true);
    // The library hands events on in the next frame, which a page that is only dumped never draws: call its handler.
    const event = {type: 'click', native: true, x: at.x, y: at.y, chart};
    chart.options.onClick(event, [], chart);
    return document.querySelector('#point-table tr.chosen').textContent;)js");
  EXPECT_EQ(page.errors, "");
  EXPECT_THAT(page.result, HasSubstr("200"));
}

TEST_F(Browser, FiltersTheTableByLimits) {
  const Page page = open(testing::example_report(), R"js(
    const set = (id, value, event) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(event)); };
    const count = () => document.querySelectorAll('#point-table tbody tr').length;
    const seen = [];
    set('table-scope', 'all', 'change'); seen.push(count());
    set('table-filter', 'ttft:p95 <= 60 and output_throughput >= 55', 'input'); seen.push(count());
    set('table-filter', 'ttft:p95 <= 0.03s', 'input'); seen.push(count());
    set('table-filter', 'parallel >= 4; concurrency < 8', 'input'); seen.push(count());
    set('table-filter', 'nonsense <= 3', 'input'); seen.push(document.getElementById('table-filter').getAttribute('aria-invalid'));
    return seen.join(' ');)js");
  EXPECT_EQ(page.errors, "");
  EXPECT_EQ(page.result, "6 3 3 2 true");
}

TEST_F(Browser, SortsByAnyColumn) {
  const Page page = open(testing::example_report(), R"js(
    const column = () => [...document.querySelectorAll('#point-table tbody tr')].map((row) => row.cells[3].textContent);
    const button = () => [...document.querySelectorAll('#point-table thead button')].find((b) => b.textContent.startsWith('ttft:p95'));
    button().click();
    const up = column();
    button().click();
    return up.join(' ') + ' / ' + column().join(' ') + ' / ' + document.querySelector('[aria-sort=descending]').textContent.slice(0, 8);)js");
  EXPECT_EQ(page.errors, "");
  EXPECT_EQ(page.result, "20 25 60 / 60 25 20 / ttft:p95");
}

TEST_F(Browser, ChangesAxes) {
  const Page page = open(testing::example_report(), R"js(
    const select = document.getElementById('x-axis');
    select.value = [...select.options].find((o) => o.textContent === 'concurrency (set)').value;
    select.dispatchEvent(new Event('change'));
    const log = document.getElementById('y-log');
    log.checked = true;
    log.dispatchEvent(new Event('change'));
    const chart = Chart.getChart('chart');
    return chart.options.scales.x.title.text + ', ' + chart.options.scales.y.type;)js");
  EXPECT_EQ(page.errors, "");
  EXPECT_EQ(page.result, "concurrency (set), logarithmic");
}

TEST_F(Browser, TreatsTextOfTheStudyAsText) {
  spec::StudySpec spec = testing::two_objectives();
  spec.name = "<img src=x onerror=alert(1)>";
  store::StudyData study;
  study.launches = {testing::launched(1, 1), testing::launched(2, 2)};
  study.launches[1].failure = testing::failure(engine::FailureClass::Crash, engine::Phase::Start,
                                               "</script><script>window.hacked = 1</script>");
  study.points = {testing::measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 40}})};
  study.points[0].point.configuration["note"] = std::string("<b>bold</b>\xE2\x80\xA8{{data}}");
  const Page page = open(
      build_report(spec, study, 1, R"({"<i>": "</script>"})"),
      "return String(window.hacked) + document.images.length + document.querySelectorAll('b, i').length;");
  EXPECT_EQ(page.errors, "");
  EXPECT_EQ(page.result, "undefined00");
}

TEST_F(Browser, ShowsTheNearestPointWhenNothingIsFeasible) {
  spec::StudySpec spec = testing::two_objectives();
  spec.limits = {load::parse_bound("ttft:p95 <= 10").value()};
  const auto data = build_report(
      spec, {{}, {testing::measured(1, 1, 1, {{"output_throughput", 10}, {"ttft:p95", 15}})}}, 1, "");
  const Page page = open(data, "return document.getElementById('picks').textContent;");
  EXPECT_EQ(page.errors, "");
  EXPECT_THAT(page.result, HasSubstr("No measured point meets the limits"));
  EXPECT_THAT(page.result, HasSubstr("off by 50 % in sum"));
}

TEST_F(Browser, SurvivesAnEmptyStudy) {
  const Page page = open(build_report(testing::two_objectives(), {}, 0, ""),
                         "return document.getElementById('picks-note').textContent;");
  EXPECT_EQ(page.errors, "");
  EXPECT_THAT(page.result, HasSubstr("No point could be measured"));
}

TEST_F(Browser, FitsAPhone) {
  const Page page = open(testing::example_report(),
                         "return document.documentElement.scrollWidth <= window.innerWidth;", "390,844");
  EXPECT_EQ(page.result, "true");
}

TEST_F(Browser, OpensTwoThousandPoints) {
  store::StudyData study;
  for (int launch = 1; launch <= 400; ++launch) {
    study.launches.push_back(testing::launched(launch, launch));
    for (int level = 1; level <= 5; ++level) {
      load::MetricValues metrics;
      for (const std::string& name : load::metric_names())
        metrics[name] = launch * 1.2345678 + level * 17.3 + static_cast<double>(metrics.size());
      study.points.push_back(testing::measured(launch, launch, level, metrics));
    }
  }
  const ReportData data = build_report(testing::two_objectives(), study, 1, "");
  EXPECT_LT(render_html(data).size(), 3u << 20);
  const Page page = open(data,
                         "return Chart.getChart('chart').data.datasets.reduce((sum, set) => sum + (set.ring "
                         "|| set.showLine ? 0 : set.data.length), 0) + ' ' + Math.round(performance.now());");
  EXPECT_EQ(page.errors, "");
  EXPECT_THAT(page.result, ::testing::StartsWith("2000 "));
  RecordProperty("milliseconds", page.result.substr(5));
}

}  // namespace
}  // namespace paretune::report
