// Classes, causes and guilty flags: recorded vLLM starts, texts of the engine survey, exit statuses alone.
#include <csignal>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "engine/log_lines.hpp"
#include "engine/signatures.hpp"
#include "paretune/core/file.hpp"
#include "paretune/core/text.hpp"
#include "support.hpp"

namespace paretune::engine {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using enum FailureClass;

std::string data(const std::string& name) {
  const auto text = core::read_file(std::string(PARETUNE_TEST_DATA) + "/" + name);
  if (!text) throw std::runtime_error(text.error().message);
  return *text;
}

ExitStatus exit_code(int code) {
  return {code, std::nullopt};
}
ExitStatus signal_number(int number) {
  return {std::nullopt, number};
}

Failure recorded(const std::string& name, int code) {
  const std::string base = "logs/vllm-0.32-cpu/" + name;
  return classify_failure(Phase::Start, exit_code(code), data(base + ".stdout") + data(base + ".stderr"));
}

TEST(Classify, ReadsRecordedStartOfVllmWithAnUnknownFlag) {
  const Failure failure = recorded("unknown_flag", 2);
  EXPECT_EQ(failure.cls, BadFlag);
  EXPECT_EQ(failure.cause, "vllm: error: unrecognized arguments: --no-such-flag 3");
  EXPECT_EQ(failure.flag, "no-such-flag");
  EXPECT_EQ(failure.exit_code, 2);
  EXPECT_TRUE(failure.deterministic());
}

TEST(Classify, ReadsRecordedStartOfVllmWithABudgetBelowTheSequences) {
  const Failure failure = recorded("batched_lt_seqs", 1);
  EXPECT_EQ(failure.cls, BadConfiguration);
  EXPECT_EQ(failure.cause, "max_num_batched_tokens (32) must be greater than or equal to max_num_seqs (64).");
  EXPECT_EQ(failure.flag, "max-num-batched-tokens");
}

TEST(Classify, ReadsRecordedStartOfVllmWithAContextLongerThanTheModel) {
  const Failure failure = recorded("len_gt_model", 1);
  EXPECT_EQ(failure.cls, BadConfiguration);
  EXPECT_THAT(failure.cause, HasSubstr("User-specified max_model_len (65536) is greater than the derived"));
  EXPECT_EQ(failure.flag, "max-model-len");
}

TEST(Classify, ReadsRecordedStartOfVllmWithAKvCacheLargerThanTheMemory) {
  const Failure failure = recorded("kv_gt_ram", 1);
  EXPECT_EQ(failure.cls, OutOfMemory);
  EXPECT_THAT(failure.cause, HasSubstr("is less than requested memory for kv (100.0 GiB)"));
  EXPECT_THAT(failure.cause, Not(HasSubstr("ERROR")));
  EXPECT_THAT(failure.advice, HasSubstr("host"));
}

TEST(Classify, ReadsRecordedStartOfVllmWhoseWorkerWasKilled) {
  const Failure failure = recorded("kill_worker", 1);
  EXPECT_EQ(failure.cls, Crash);
  EXPECT_THAT(failure.cause, HasSubstr("WorkerProc initialization failed"));
  EXPECT_FALSE(failure.deterministic());
}

TEST(Classify, FindsNoCauseInTheLogOfAGoodStartUntilTheShutdown) {
  const auto lines =
      log_lines(data("logs/vllm-0.32-cpu/good.stdout") + data("logs/vllm-0.32-cpu/good.stderr"));
  for (const std::string& line : lines) {
    if (line.find("[shutdown]") != std::string::npos) break;
    for (const Signature& signature : signatures()) {
      EXPECT_FALSE(matches(signature.pattern, core::to_lower(line))) << signature.pattern << "\n" << line;
    }
  }
}

struct Known {
  const char* text;
  FailureClass cls;
  const char* flag = "";
};

class KnownText : public ::testing::TestWithParam<Known> {};

TEST_P(KnownText, HasItsClass) {
  // The texts stand in the middle of a log, as they do in real life.
  const std::string log = "loading\nINFO: all good\n" + std::string(GetParam().text) + "\nbye\n";
  const Failure failure = classify_failure(Phase::Start, exit_code(1), log);
  EXPECT_EQ(to_string(failure.cls), std::string(to_string(GetParam().cls))) << failure.cause;
  EXPECT_EQ(failure.flag, GetParam().flag);
  EXPECT_FALSE(failure.cause.empty());
  EXPECT_FALSE(failure.advice.empty());
}

INSTANTIATE_TEST_SUITE_P(
    LlamaCpp, KnownText,
    ::testing::Values(
        Known{"error: invalid argument: --foo", BadFlag, "foo"},
        Known{"error: unknown argument: --foo-bar", BadFlag, "foo-bar"},
        Known{"error while handling argument \"--draft\": the argument has been removed. use "
              "--spec-draft-n-max",
              BadFlag, "draft"},
        Known{
            "error while handling argument \"--flash-attn\": error: unknown value 'x', one of: on, off, auto",
            BadConfiguration, "flash-attn"},
        Known{"error while handling argument \"-b\": expected value for argument", BadConfiguration},
        Known{"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 MiB on device 0: cudaMalloc "
              "failed: out "
              "of memory",
              OutOfMemory},
        Known{"ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 983040032",
              OutOfMemory},
        Known{
            "llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
            OutOfMemory},
        Known{"llama_init_from_model: V cache quantization requires flash_attn", BadConfiguration},
        Known{"llama_model_load: error loading model: error loading model architecture: unknown model "
              "architecture: "
              "'new'",
              Unsupported},
        Known{"gguf_init_from_file: failed to open GGUF file 'nothing.gguf'", BadConfiguration},
        Known{"srv  start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080", PortInUse},
        Known{"ggml.c:1234: GGML_ASSERT(n > 0) failed", Crash}));

INSTANTIATE_TEST_SUITE_P(
    Others, KnownText,
    ::testing::Values(
        Known{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", OutOfMemory},
        Known{
            "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.",
            OutOfMemory},
        Known{"ValueError: To serve at least one request with the models's max seq len (32768), (4.50 GiB KV "
              "cache is "
              "needed, which is larger than the available KV cache memory (2.10 GiB).",
              OutOfMemory},
        Known{"ValueError: Free memory on device cuda:0 (10.1/79.1 GiB) on startup is less than desired GPU "
              "memory "
              "utilization (0.9, 71.2 GiB).",
              DeviceBusy},
        Known{"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.", OutOfMemory,
              "mem-fraction-static"},
        Known{
            "ValueError: The quantization method modelopt_fp4 is not supported for the current GPU. Minimum "
            "capability: 100. Current capability: 90.",
            Unsupported},
        Known{"OSError: [Errno 98] Address already in use", PortInUse},
        Known{"docker: Error response from daemon: Bind for 0.0.0.0:8000 failed: port is already allocated.",
              PortInUse},
        Known{"Error: No such option: --max_batch", BadFlag, "max_batch"},
        Known{"error: unexpected argument '--max-batch' found", BadFlag, "max-batch"},
        Known{"The following arguments were not expected: --wrong 3", BadFlag, "wrong"},
        Known{"serve: error: argument --dtype: invalid choice: 'float8' (choose from 'auto', 'half')",
              BadConfiguration, "dtype"},
        Known{"serve: error: argument --max-num-seqs: invalid int value: 'many'", BadConfiguration,
              "max-num-seqs"},
        Known{"Executor creation failed due to insufficient GPU memory.", OutOfMemory},
        Known{"Not enough memory to handle 4096 prefill tokens. You need to decrease "
              "`--max-batch-prefill-tokens`",
              OutOfMemory, "max-batch-prefill-tokens"},
        Known{"Shard process was signaled to shutdown with signal 9", OutOfMemory},
        Known{"[TM][ERROR] CUDA runtime error: out of memory /src/x.cc:12", OutOfMemory},
        Known{"OSError: meta-llama/Nothing is not a local folder and is not a valid model identifier",
              BadConfiguration},
        Known{"python3: No module named sglang.launch_server", Unsupported},
        Known{"terminate called after throwing an instance of 'std::bad_alloc'", OutOfMemory},
        Known{"bash: line 1: vllm: command not found", Unsupported}));

TEST(Classify, PrefersTheCauseToItsConsequences) {
  const Failure failure =
      classify_failure(Phase::Start, exit_code(1),
                       "RuntimeError: Engine core initialization failed. See root cause above.\n"
                       "llama_init_from_model: failed to initialize the context: reason below\n"
                       "cudaMalloc failed: out of memory\n"
                       "srv load_model: failed to load model, 'x.gguf'\n");
  EXPECT_EQ(failure.cls, OutOfMemory);
  EXPECT_EQ(failure.cause, "cudaMalloc failed: out of memory");
}

TEST(Classify, TakesTheFirstExceptionAndNotTheLast) {
  const Failure failure =
      classify_failure(Phase::Start, exit_code(1),
                       "Traceback (most recent call last):\n  File \"a.py\", line 1\n"
                       "KeyError: 'hidden_size'\n"
                       "During handling of the above exception, another exception occurred:\n"
                       "RuntimeError: cannot go on\n");
  EXPECT_EQ(failure.cls, Crash);
  EXPECT_EQ(failure.cause, "KeyError: 'hidden_size'");
}

TEST(Classify, CallsAValueErrorAtStartABadConfigurationAndUnderLoadACrash) {
  EXPECT_EQ(classify_failure(Phase::Start, exit_code(1), "ValueError: tile too small\n").cls,
            BadConfiguration);
  EXPECT_EQ(classify_failure(Phase::Measure, exit_code(1), "ValueError: tile too small\n").cls, Crash);
}

TEST(Classify, DoesNotTakeAWarningAboutFittingForAnError) {
  const Failure failure =
      classify_failure(Phase::Start, signal_number(SIGSEGV),
                       "failed to fit params to free device memory: user set layers, abort\n");
  EXPECT_EQ(failure.cls, Crash);
  EXPECT_EQ(failure.signal, SIGSEGV);
}

TEST(Classify, TakesAKillThatIsNotOursForTheKernelsMemoryKiller) {
  for (const ExitStatus& exit : {signal_number(SIGKILL), exit_code(137)}) {
    const Failure failure = classify_failure(Phase::Measure, exit, "INFO: serving\n");
    EXPECT_EQ(failure.cls, OutOfMemory);
    EXPECT_THAT(failure.cause, HasSubstr("out-of-memory killer"));
  }
}

TEST(Classify, CallsAnIllegalInstructionUnsupported) {
  const Failure failure = classify_failure(Phase::Start, signal_number(SIGILL), "");
  EXPECT_EQ(failure.cls, Unsupported);
  EXPECT_THAT(failure.cause, HasSubstr("SIGILL"));
}

TEST(Classify, NamesSignalOrCodeWhenTheLogSaysNothing) {
  EXPECT_EQ(classify_failure(Phase::Measure, signal_number(SIGABRT), "").cause,
            "the server was ended by signal 6 (SIGABRT)");
  EXPECT_EQ(classify_failure(Phase::Start, exit_code(3), "").cause, "the server ended with exit code 3");
}

TEST(Classify, AsksForTheForegroundWhenACommandEndsWithZero) {
  EXPECT_THAT(classify_failure(Phase::Start, exit_code(0), "0123abcd\n").advice, HasSubstr("foreground"));
}

TEST(Classify, ShowsOnlyPrintableTextOfTheLastLines) {
  std::string log;
  for (int i = 0; i < 50; ++i) log += "line " + std::to_string(i) + "\n";
  log += "\x1b[31mred\x1b[0m \x01 bad \xff byte\rprogress 10%\rprogress 20%\n";
  const Failure failure = classify_failure(Phase::Start, exit_code(1), log);
  EXPECT_EQ(failure.last_lines.size(), 20u);
  EXPECT_THAT(failure.last_lines, Contains("progress 20%"));
  for (const std::string& line : failure.last_lines) EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(Classify, MissingEngineIsTheEnvironmentsFault) {
  const Failure failure = classify_failure(Phase::Start, exit_code(127), "sh: vllm: command not found\n");
  EXPECT_TRUE(failure.environment);
  EXPECT_FALSE(failure.deterministic());
}

TEST(Classify, Case05SaysBadFlagWithTheLine) {
  const Failure failure = classify_failure(Phase::Start, exit_code(2), data("cases/05-stderr.txt"));
  const auto expected = core::Json::parse(data("cases/05-stderr.expected.json"));
  EXPECT_EQ(failure.cls, BadFlag);
  EXPECT_EQ(failure.exit_code, expected["child_exit_code"].get<int>());
  EXPECT_THAT(failure.cause, HasSubstr(expected["shown"][0].get<std::string>()));
  EXPECT_EQ(failure.flag, "disable-log-requests");
}

TEST(Signatures, AreAllLowerCaseAndHaveAdvice) {
  for (const Signature& signature : signatures()) {
    EXPECT_EQ(core::to_lower(signature.pattern), signature.pattern);
    EXPECT_STRNE(advice_text(signature.cls, signature.advice), "") << signature.pattern;
  }
}

TEST(Signatures, MatchTheirPartsInOrder) {
  EXPECT_TRUE(matches("a * c", "xx a b c"));
  EXPECT_FALSE(matches("c*a", "a b c"));
  EXPECT_TRUE(matches("abc", "abc"));
}

TEST(MessageOf, DropsTheColumnsOfLoggingLibraries) {
  EXPECT_EQ(message_of("(Worker pid=730) ERROR 12-01 16:04:32 [multiproc_executor.py:1063] ValueError: no"),
            "ValueError: no");
  EXPECT_EQ(message_of("2026-12-01T16:04:32.123Z ERROR [x.rs:1] no shard"), "no shard");
  EXPECT_EQ(message_of("[1, 2] is a list"), "[1, 2] is a list");
  EXPECT_EQ(message_of("plain"), "plain");
}

TEST(FlagIn, FindsDashedAndMeasuredNames) {
  EXPECT_EQ(flag_in("set --max-num-seqs=4."), "max-num-seqs");
  EXPECT_EQ(flag_in("max_model_len (65536) is greater"), "max-model-len");
  EXPECT_EQ(flag_in("a -- b, 3--4, version (3)"), "");
}

TEST(FailureWords, GoThroughJsonUnchanged) {
  Failure failure;
  failure.cls = Unsupported;
  failure.phase = Phase::Warmup;
  failure.signal = 9;
  failure.cause = "c";
  failure.advice = "a";
  failure.log = "logs/3/server.log";
  failure.flag = "f";
  failure.last_lines = {"x", "y"};
  failure.flaky = failure.environment = true;
  const core::Json json = to_json(failure);
  EXPECT_EQ(json["class"], "unsupported");
  EXPECT_EQ(json["phase"], "warmup");
  EXPECT_TRUE(json["exit_code"].is_null());
  EXPECT_EQ(to_json(failure_from_json(json)).dump(), json.dump());
  for (const char* word :
       {"out_of_memory", "bad_flag", "bad_configuration", "unsupported", "port_in_use", "device_busy",
        "crash", "timeout_start", "timeout_measure", "unhealthy", "too_many_errors", "interrupted"}) {
    ASSERT_TRUE(failure_class_from(word));
    EXPECT_STREQ(to_string(*failure_class_from(word)), word);
  }
  for (const char* word : {"start", "warmup", "measure", "stop"})
    EXPECT_STREQ(to_string(*phase_from(word)), word);
  EXPECT_FALSE(failure_class_from("oom"));
}

}  // namespace
}  // namespace paretune::engine
