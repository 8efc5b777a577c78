// The HTTP server and its virtual twin, driven by the same load generator, must tell the same story.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "paretune/load/measure.hpp"
#include "sim/http_support.hpp"
#include "sim/support.hpp"

namespace paretune::sim {
namespace {

using load::Outcome;
using load::RequestRecord;
using test::RunningServer;

load::Workload workload_of(double concurrency, std::int64_t requests) {
  load::Workload workload;
  workload.prompt_tokens = {load::LengthModel::Kind::Uniform, 120, 0, 40, 200};
  workload.output_tokens = {load::LengthModel::Kind::Uniform, 60, 0, 20, 100};
  workload.concurrency = {concurrency};
  workload.requests = requests;
  return workload;
}

load::Window run(load::Endpoint& endpoint, const load::Workload& workload,
                 const load::EndpointAddress& address) {
  load::WindowOptions options;
  options.seed = 9;
  options.address = address;
  auto window =
      load::generate_load(endpoint, workload, {workload.open_loop(), workload.levels().front()}, options, {});
  EXPECT_TRUE(window.ok()) << window.error().message;
  return window.ok() ? std::move(window).value() : load::Window{};
}

load::Window over_http(const RunningServer& server, const load::Workload& workload,
                       const std::string& model = "sim-8b") {
  load::EndpointAddress address;
  address.base_url = server.url();
  address.model = model;
  auto endpoint = load::make_http_endpoint(address, 64);
  EXPECT_TRUE(endpoint.ok());
  return run(**endpoint, workload, address);
}

load::Window virtually(const SimOptions& options, const load::Workload& workload) {
  auto endpoint = make_virtual_endpoint(options);
  EXPECT_TRUE(endpoint.ok());
  return run(**endpoint, workload, {});
}

double metric(const load::Window& window, const load::Workload& workload, const std::string& name) {
  const auto measurement =
      load::summarize(window, workload, {workload.open_loop(), workload.levels().front()}, {});
  const auto found = measurement.metrics.find(name);
  return found == measurement.metrics.end() ? NAN : found->second;
}

TEST(Twin, SendsAndCountsTheSameTokens) {
  SimOptions options;
  options.speed = 20;
  const load::Workload workload = workload_of(8, 60);
  RunningServer server(options);
  const load::Window http = over_http(server, workload);
  const load::Window twin = virtually(options, workload);
  ASSERT_EQ(http.records.size(), twin.records.size());
  for (std::size_t i = 0; i < http.records.size(); ++i) {
    const RequestRecord& real = http.records[i];
    const RequestRecord& made = twin.records[i];
    ASSERT_EQ(real.outcome, Outcome::Ok) << real.error;
    EXPECT_EQ(real.index, made.index);
    EXPECT_EQ(real.prompt_tokens, made.prompt_tokens);
    EXPECT_EQ(real.output_tokens, made.output_tokens);
    EXPECT_EQ(real.token_source, made.token_source);
    EXPECT_EQ(real.http_status, made.http_status);
    EXPECT_EQ(real.missing_done, made.missing_done);
    EXPECT_EQ(made.events.size(), made.output_tokens);
  }
}

SimOptions slow_steps() {
  SimOptions options;
  options.model = "sim-70b";
  options.device = "sim-40g";
  options.tensor_parallel_size = 8;
  options.max_num_seqs = 16;
  options.speed = 5;  // steps of some 5 ms: long beside the delays of the machine
  return options;
}

/// Means of the server's own histograms, which do not depend on how soon the client got to run.
TEST(Twin, AgreesWithTheTimesTheServerSaw) {
  const SimOptions options = slow_steps();
  const load::Workload workload = workload_of(8, 60);
  RunningServer server(options);
  const load::Window http = over_http(server, workload, "sim-70b");
  const std::string page = test::get(server.port(), "/metrics").body;
  const auto mean_ms = [&](const std::string& name) {
    return 1000 * test::metric_of(page, name + "_sum") / test::metric_of(page, name + "_count");
  };
  const load::Window twin = virtually(options, workload);
  const auto near = [&](const std::string& name, double measured, double tolerance) {
    const double expected = metric(twin, workload, name);
    EXPECT_NEAR(measured, expected, tolerance * expected) << name;
  };
  near("itl:mean", mean_ms("vllm:inter_token_latency_seconds"), 0.05);
  near("e2e:mean", mean_ms("vllm:e2e_request_latency_seconds"), 0.05);
  near("ttft:mean", mean_ms("vllm:time_to_first_token_seconds"), 0.10);
}

/// The same through the client. A busy machine may spoil a try, not three.
TEST(Twin, AgreesWithTheTimesAClientSees) {
  const SimOptions options = slow_steps();
  const load::Workload workload = workload_of(8, 60);
  const load::Window twin = virtually(options, workload);
  RunningServer server(options);
  double worst = 1;
  for (int attempt = 0; attempt < 3 && worst > 0.05; ++attempt) {
    const load::Window http = over_http(server, workload, "sim-70b");
    worst = 0;
    for (const char* name : {"tpot:mean", "e2e:mean", "output_throughput"}) {
      const double expected = metric(twin, workload, name);
      worst = std::max(worst, std::abs(metric(http, workload, name) - expected) / expected);
    }
  }
  EXPECT_LE(worst, 0.05);
}

TEST(Twin, AgreesWithTheServersOwnCounters) {
  SimOptions options;
  options.speed = 50;
  RunningServer server(options);
  const load::Window window = over_http(server, workload_of(8, 80));
  double prompt = 0, output = 0, ttft_s = 0;
  for (const RequestRecord& record : window.records) {
    prompt += record.prompt_tokens;
    output += record.output_tokens;
    ttft_s += static_cast<double>(record.first_token_ns - record.sent_ns) * 1e-9;
  }
  const std::string page = test::get(server.port(), "/metrics").body;
  EXPECT_EQ(test::metric_of(page, "vllm:prompt_tokens_total"), prompt);
  EXPECT_EQ(test::metric_of(page, "vllm:generation_tokens_total"), output);
  EXPECT_LE(test::metric_of(page, "vllm:time_to_first_token_seconds_sum"), ttft_s);
}

TEST(Twin, FailsTheSameWayWhenPromptsAreTooLong) {
  SimOptions options;
  options.speed = 1000;
  options.max_model_len = 64;
  load::Workload workload = workload_of(2, 4);
  workload.prompt_tokens = {load::LengthModel::Kind::Fixed, 100, 0, 1, 1000};
  RunningServer server(options);
  for (const load::Window& window : {over_http(server, workload), virtually(options, workload)}) {
    ASSERT_EQ(window.records.size(), 4U);
    for (const RequestRecord& record : window.records) {
      EXPECT_EQ(record.outcome, Outcome::Http4xx);
      EXPECT_EQ(record.http_status, 400);
    }
  }
}

/// The server as a child process. Ends with the test.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> flags) {
    int out[2];
    EXPECT_EQ(pipe(out), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      close(out[0]);
      close(out[1]);
      std::vector<char*> argv;
      std::string program = PARETUNE_SIM_SERVER;
      argv.push_back(program.data());
      for (std::string& flag : flags) argv.push_back(flag.data());
      argv.push_back(nullptr);
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    close(out[1]);
    char byte = 0;
    while (read(out[0], &byte, 1) == 1 && byte != '\n') line_ += byte;
    close(out[0]);
  }
  ~ServerProcess() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait_for_end();
    }
  }
  const std::string& first_line() const { return line_; }
  int port() const { return std::atoi(line_.c_str() + line_.rfind(':') + 1); }
  void terminate() const { kill(pid_, SIGTERM); }
  /// @return the wait status.
  int wait_for_end() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  std::string line_;
};

void wait_until_ready(int port) {
  while (test::get(port, "/health").status != 200) usleep(2000);
}

TEST(ServerProgram, EndsCleanlyOnTerminate) {
  ServerProcess process({"--speed", "1000", "--port", "0"});
  EXPECT_TRUE(process.first_line().starts_with("listening on http://127.0.0.1:")) << process.first_line();
  wait_until_ready(process.port());
  process.terminate();
  const int status = process.wait_for_end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(ServerProgram, AbortsAfterTheGivenNumberOfAnswers) {
  ServerProcess process({"--speed", "1000", "--fault=crash-after=3"});
  wait_until_ready(process.port());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(test::post(process.port(), "/v1/chat/completions", test::chat_body(4, 4, i != 1)).complete)
        << i;
  }
  const int status = process.wait_for_end();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(ServerProgram, ExitsOneWhenTheModelDoesNotFit) {
  ServerProcess process({"--speed", "1000", "--model", "sim-70b"});
  EXPECT_EQ(process.first_line(), "");
  const int status = process.wait_for_end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

}  // namespace
}  // namespace paretune::sim
