#include "engine/signatures.hpp"

#include <algorithm>

namespace paretune::engine {
namespace {

using enum FailureClass;
using enum Rank;
constexpr auto kKv = Advice::KvTooSmall;
constexpr auto kModel = Advice::Model;
constexpr auto kParallel = Advice::Parallel;

constexpr Signature kSignatures[] = {
    // Memory.
    {"no available memory for the cache blocks", OutOfMemory, Cause, kKv},
    {"kv cache is needed, which is larger than the available kv cache memory", OutOfMemory, Cause, kKv},
    {"max seq len (*) is larger than the maximum number of tokens", OutOfMemory, Cause, kKv},
    {"is less than requested memory for kv", OutOfMemory, Cause, Advice::HostMemory},
    {"not enough memory. please try to increase --mem-fraction-static", OutOfMemory, Cause, kKv},
    {"not enough memory to handle * max_total_tokens", OutOfMemory, Cause, kKv},
    {"cache out of memory, no request can be admitted", OutOfMemory, Cause, kKv},
    {"not enough memory to handle * prefill tokens", OutOfMemory},
    {"executor creation failed due to insufficient gpu memory", OutOfMemory},
    {"following component could not be created", OutOfMemory, General},
    {"no enough gpu memory for", OutOfMemory},
    {"capture cuda graph failed", OutOfMemory},
    {"outofmemoryerror", OutOfMemory},
    {"cuda out of memory", OutOfMemory},
    {"hip out of memory", OutOfMemory},
    {"cuda error: out of memory", OutOfMemory},
    {"cuda runtime error: out of memory", OutOfMemory},
    {"cudaerrormemoryallocation", OutOfMemory},
    {"cudamalloc failed: out of memory", OutOfMemory},
    {"failed to allocate * buffer", OutOfMemory},
    {"unable to allocate * buffer", OutOfMemory},
    {"failed to allocate compute", OutOfMemory},
    {"failed to allocate buffer for kv cache", OutOfMemory},
    {"signaled to shutdown with signal 9", OutOfMemory, Cause, Advice::HostMemory},
    {"died unexpectedly (exit code: -9)", OutOfMemory, Cause, Advice::HostMemory},
    {"cannot allocate memory", OutOfMemory, Cause, Advice::HostMemory},
    {"can't allocate memory", OutOfMemory, Cause, Advice::HostMemory},
    {"std::bad_alloc", OutOfMemory, Cause, Advice::HostMemory},
    {"memoryerror", OutOfMemory, Cause, Advice::HostMemory},
    {"out of memory", OutOfMemory, General},
    {"out-of-memory", OutOfMemory, General},
    {"failed to allocate", OutOfMemory, General},
    // Somebody else has the device.
    {"free memory on device * is less than desired gpu memory utilization", DeviceBusy},
    {"all cuda-capable devices are busy", DeviceBusy},
    // Ports.
    {"address already in use", PortInUse},
    {"addrinuse", PortInUse},
    {"[errno 98]", PortInUse},
    {"os error 98", PortInUse},
    {"couldn't bind http server socket", PortInUse},
    {"failed to bind socket to", PortInUse},
    {"is used by a process already", PortInUse},
    {"port is already allocated", PortInUse},
    {"port * in use", PortInUse},
    // Flags the program does not know.
    {"unrecognized argument", BadFlag},
    {"unrecognised argument", BadFlag},
    {"unrecognized option", BadFlag},
    {"unknown argument", BadFlag},
    {"unknown option", BadFlag},
    {"unknown flag", BadFlag},
    {"unexpected argument '-", BadFlag},
    {"error: invalid argument: -", BadFlag},
    {"invalid option -", BadFlag},
    {"argument has been removed", BadFlag},
    {"no such option", BadFlag},
    {"arguments were not expected", BadFlag},
    {"argument was not expected", BadFlag},
    {"ambiguous option", BadFlag},
    {"extra inputs are not permitted", BadFlag},
    {"extra_forbidden", BadFlag},
    // Known flags, refused values.
    {"error while handling argument", BadConfiguration},
    {"invalid choice", BadConfiguration},
    {"error: argument *: invalid", BadConfiguration},
    {"error: argument *: expected", BadConfiguration},
    {"invalid value for", BadConfiguration},
    {"invalid value '", BadConfiguration},
    {"value error, ", BadConfiguration},
    {"must be greater than or equal to max_num_seqs", BadConfiguration},
    {"is smaller than max_model_len", BadConfiguration},
    {"chunked prefill must be enabled", BadConfiguration},
    {"user-specified max_model_len * is greater than the derived max_model_len", BadConfiguration},
    {"attention heads * must be divisible by", BadConfiguration, Cause, kParallel},
    {"must be divisible by tensor parallel size", BadConfiguration, Cause, kParallel},
    {"not aligned with the quantized weight shape", BadConfiguration, Cause, kParallel},
    {"not divisible by min_thread_", BadConfiguration, Cause, kParallel},
    {"not divisible by block_size_k", BadConfiguration, Cause, kParallel},
    {"not divisible by weight quantization block", BadConfiguration, Cause, kParallel},
    {"not divisible by b_scales", BadConfiguration, Cause, kParallel},
    {"not enough cuda devices", BadConfiguration, Cause, kParallel},
    {"must be divisible by `num_shards`", BadConfiguration, Cause, kParallel},
    {"sharding is currently not supported with", BadConfiguration, Cause, kParallel},
    {"only supported with eagle/mtp", BadConfiguration, Cause, Advice::AsyncScheduling},
    {"does not support async scheduling", BadConfiguration, Cause, Advice::AsyncScheduling},
    {"not compatible with * async", BadConfiguration, Cause, Advice::AsyncScheduling},
    {"quantized v cache was requested", BadConfiguration, Cause, Advice::FlashAttention},
    {"v cache*requires flash_attn", BadConfiguration, Cause, Advice::FlashAttention},
    {"drafting is not supported for selected executor loop", BadConfiguration},
    {"is not a known backend", BadConfiguration},
    {"invalid quant_policy", BadConfiguration},
    {"invalid cache_max_entry_count", BadConfiguration},
    {"kernel_block_size must be", BadConfiguration},
    {"must be a positive integer", BadConfiguration},
    {"please set block_size to 64", BadConfiguration},
    {"invalid argument: ", BadConfiguration, General},
    // The model.
    {"not a valid model identifier", BadConfiguration, Cause, kModel},
    {"repositorynotfounderror", BadConfiguration, Cause, kModel},
    {"repository not found", BadConfiguration, Cause, kModel},
    {"gatedrepoerror", BadConfiguration, Cause, kModel},
    {"does not appear to have a file named config", BadConfiguration, Cause, kModel},
    {"can't load the configuration", BadConfiguration, Cause, kModel},
    {"model_dir is not a valid path", BadConfiguration, Cause, kModel},
    {"could not find model architecture", BadConfiguration, Cause, kModel},
    {"failed to open gguf", BadConfiguration, Cause, kModel},
    {"download encountered an error", BadConfiguration, General, kModel},
    {"error loading model", BadConfiguration, General, kModel},
    {"failed to load model", BadConfiguration, Consequence, kModel},
    {"unable to load model", BadConfiguration, Consequence, kModel},
    // What the machine, the device or the build cannot do.
    {"unknown model architecture", Unsupported},
    {"quantization method * is not supported for the current gpu", Unsupported},
    {"is not supported for quantization method", Unsupported},
    {"backend is only supported", Unsupported},
    {"only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype", Unsupported},
    {"unsupported kv_cache_dtype", Unsupported},
    {"kv cache quantization only works for", Unsupported},
    {"fp8 kv cache is currently only supported for", Unsupported},
    {"no kernel image is available", Unsupported},
    {"requires compute capability", Unsupported},
    {"torch not compiled with cuda enabled", Unsupported, Cause, Advice::Device},
    {"no cuda gpus are available", Unsupported, Cause, Advice::Device},
    {"no gpu devices found", Unsupported, Cause, Advice::Device},
    {"cuda driver version is insufficient", Unsupported, Cause, Advice::Device},
    {"illegal instruction", Unsupported},
    {"notimplementederror", Unsupported, General},
    {"no module named", Unsupported, Cause, Advice::MissingEngine},
    {"command not found", Unsupported, Cause, Advice::MissingEngine},
    {"cannot open shared object file", Unsupported, Cause, Advice::MissingEngine},
    {"version `glibc", Unsupported, Cause, Advice::MissingEngine},
    // It hung by itself.
    {"timed out waiting for engine", TimeoutStart, Cause, Advice::ReadyTimeout},
    {"vllm_engine_ready_timeout_s", TimeoutStart, Cause, Advice::ReadyTimeout},
    {"watchdog timeout", Unhealthy},
    {"health check failed. server couldn't get a response", Unhealthy},
    // It died; what follows only says so.
    {"no space left on device", Crash},
    {"ggml_assert", Crash, General},
    {"ggml_abort", Crash, General},
    {"terminate called after throwing", Crash, General},
    {"segmentation fault", Crash, General},
    {"assertion * failed", Crash, General},
    {"scheduler hit an exception", Crash, Echo},
    {"workerproc initialization failed", Crash, Consequence},
    {"worker proc * died unexpectedly", Crash, Consequence},
    {"worker failed with error", Crash, Consequence},
    {"failed to initialize executor on rank", Crash, Consequence},
    {"failed to initialize the context", Crash, Consequence},
    {"failed to create context with model", Crash, Consequence},
    {"shard * failed to start", Crash, Consequence},
    {"shard * crashed", Crash, Consequence},
    {"shard cannot start", Crash, Consequence},
    {"received sigquit from a child process", Crash, Consequence},
    {"webserver crashed", Crash, Consequence},
    {"webserver failed", Crash, Consequence},
    {"server process failed during startup", Crash, Echo},
    {"llm is unavailable. please check the server logs", Crash, Echo},
    {"enginedeaderror", Crash, Echo},
    {"enginecore encountered", Crash, Echo},
    {"enginecore failed to start", Crash, Echo},
    {"engine core initialization failed", Crash, Echo},
    {"failed core proc", Crash, Echo},
};

const char* class_advice(FailureClass cls) {
  switch (cls) {
    case OutOfMemory:
      return "lower the batch or context limits or the memory fraction, use a smaller type for weights or KV "
             "cache, or "
             "more devices";
    case BadFlag:
      return "this version of the engine does not know the flag: remove or rename it (the engine's own "
             "--help lists "
             "what it knows)";
    case BadConfiguration:
      return "change the named value, or add a constraint that excludes the combination";
    case Unsupported:
      return "this device, model or build lacks it: take the value out of the space";
    case PortInUse:
      return "leave engine.port out so that a free port is taken, or stop the program that holds it";
    case DeviceBusy:
      return "another process holds device memory: wait for it or stop it";
    case Crash:
      return "read the log; if it happens once only, the configuration may still be good";
    case TimeoutStart:
      return "raise engine.ready.timeout if the server was still loading";
    case TimeoutMeasure:
      return "lower the load level or raise the time-outs of the workload";
    case Unhealthy:
      return "read the log, and check engine.model and engine.api against what the server serves";
    case TooManyErrors:
      return "see the first error in the results and the server's log";
    case Interrupted:
      return "";
  }
  return "";
}

}  // namespace

std::span<const Signature> signatures() {
  return kSignatures;
}

bool matches(std::string_view pattern, std::string_view line) {
  std::size_t from = 0;
  while (!pattern.empty()) {
    const std::size_t star = std::min(pattern.find('*'), pattern.size());
    const std::size_t at = line.find(pattern.substr(0, star), from);
    if (at == std::string_view::npos) return false;
    from = at + star;
    pattern.remove_prefix(std::min(star + 1, pattern.size()));
  }
  return true;
}

const char* advice_text(FailureClass cls, Advice advice) {
  switch (advice) {
    case Advice::OfClass:
      return class_advice(cls);
    case Advice::KvTooSmall:
      return "too little memory is left for the KV cache: shorten the context limit, lower the batch limits, "
             "raise the "
             "memory fraction, or use more devices";
    case Advice::HostMemory:
      return "the host ran short of memory: lower the KV cache or context size, or free memory (also see the "
             "kernel log "
             "for the out-of-memory killer)";
    case Advice::Model:
      return "check engine.model: path or name, access rights, a complete download, a format this engine "
             "reads";
    case Advice::Parallel:
      return "this degree of parallelism does not divide the model: exclude it with a constraint";
    case Advice::FlashAttention:
      return "a quantised V cache needs flash attention: add a constraint, or use f16";
    case Advice::AsyncScheduling:
      return "leave async-scheduling unset together with this feature";
    case Advice::MissingEngine:
      return "the engine is not installed where engine.command looks for it";
    case Advice::Device:
      return "the engine sees no usable device: check the driver and the build";
    case Advice::ReadyTimeout:
      return "the engine's own start-up limit was too short: raise it (vLLM: VLLM_ENGINE_READY_TIMEOUT_S) "
             "together with "
             "engine.ready.timeout";
  }
  return "";
}

}  // namespace paretune::engine
