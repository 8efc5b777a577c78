#include <gtest/gtest.h>

#include "paretune/load/endpoint.hpp"
#include "paretune/load/measure.hpp"
#include "support/stub_server.hpp"

namespace paretune::load {
namespace {

using testing::StubReply;
using testing::StubRequest;
using testing::StubServer;

TEST(HttpEndpoint, KeepsExactlyTheAskedNumberOfRequestsInFlightAndReusesConnections) {
  StubServer server([](const StubRequest&) { return testing::chat_stream(5, 5, 2); });
  EndpointAddress address;
  address.base_url = server.url();
  address.model = "m";
  auto endpoint = make_http_endpoint(address, 4);
  ASSERT_TRUE(endpoint.ok());
  Workload workload;
  workload.concurrency = {4};
  workload.requests = 40;
  workload.prompt_tokens.mean = 16;
  workload.output_tokens.mean = 5;
  WindowOptions options;
  options.address = address;
  const auto window = generate_load(**endpoint, workload, {false, 4}, options, {});
  ASSERT_TRUE(window.ok());
  const Measurement m = summarize(*window, workload, {false, 4}, {});
  EXPECT_EQ(m.ok, 40u);
  EXPECT_EQ(m.output_tokens, 200u);
  EXPECT_EQ(server.requests().size(), 40u);
  EXPECT_EQ(server.peak_requests(), 4u);
  EXPECT_EQ(server.connections(), 4u);
}

}  // namespace
}  // namespace paretune::load
