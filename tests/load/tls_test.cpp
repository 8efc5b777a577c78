// A self-signed certificate, over a real TLS server (the openssl program).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "paretune/load/endpoint.hpp"
#include "paretune/load/measure.hpp"

extern char** environ;

namespace paretune::load {
namespace {

using ::testing::HasSubstr;

/// A child of ours whose stdout comes through a pipe.
class Child {
 public:
  explicit Child(std::vector<std::string> argv) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::vector<char*> pointers;
    for (std::string& word : argv) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (posix_spawnp(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (output_ >= 0) close(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Reads until `end` shows up or the output ends.
  std::string read_until(const std::string& end) {
    std::string text;
    char letter = 0;
    while (text.find(end) == std::string::npos && read(output_, &letter, 1) == 1) text += letter;
    return text;
  }
  int wait() {
    int status = -1;
    if (pid_ > 0) waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

class TlsServer : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("paretune-tls-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
    certificate_ = directory_ / "cert.pem";
    const std::string key = directory_ / "key.pem";
    Child make({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                certificate_});
    if (make.wait() != 0) GTEST_SKIP() << "no openssl program";
    server_ = std::make_unique<Child>(std::vector<std::string>{
        "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate_, "-key", key, "-www"});
    // It says "ACCEPT 127.0.0.1:PORT" once it listens.
    server_->read_until("ACCEPT 127.0.0.1:");
    const std::string port = server_->read_until("\n");
    ASSERT_GT(port.size(), 1u);
    address_.base_url = "https://127.0.0.1:" + port.substr(0, port.size() - 1);
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  std::filesystem::path directory_;
  std::string certificate_;
  std::unique_ptr<Child> server_;
  EndpointAddress address_;
};

TEST_F(TlsServer, ACertificateThatIsNotTrustedIsNamedAsSuch) {
  const auto begin = std::chrono::steady_clock::now();
  const auto reply = http_get(address_, address_.base_url + "/", 10);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, core::ErrorCode::Network);
  EXPECT_THAT(reply.error().message, HasSubstr("certificate"));
  EXPECT_THAT(reply.error().hint, HasSubstr("CA file"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

TEST_F(TlsServer, ARequestOfAWindowEndsAsTlsFailure) {
  Workload workload;
  workload.concurrency = {1};
  workload.requests = 1;
  auto endpoint = make_http_endpoint(address_, 1);
  ASSERT_TRUE(endpoint.ok());
  WindowOptions options;
  options.address = address_;
  const auto window = generate_load(**endpoint, workload, {false, 1}, options, {});
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->records[0].outcome, Outcome::Tls);
  EXPECT_THAT(window->records[0].error, HasSubstr("certificate"));
}

TEST_F(TlsServer, TheRightAuthorityOrNoCheckLetsItThrough) {
  EndpointAddress trusted = address_;
  trusted.ca_file = certificate_;
  EXPECT_EQ(http_get(trusted, trusted.base_url + "/", 10)->status, 200);
  EndpointAddress unchecked = address_;
  unchecked.insecure = true;
  EXPECT_EQ(http_get(unchecked, unchecked.base_url + "/", 10)->status, 200);
  EndpointAddress wrong = address_;
  wrong.ca_file = "/no/such/file.pem";
  const auto reply = http_get(wrong, wrong.base_url + "/", 10);
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.error().message + reply.error().hint, HasSubstr("CA"));
}

}  // namespace
}  // namespace paretune::load
