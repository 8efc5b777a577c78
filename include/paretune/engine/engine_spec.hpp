// The `engine` section of a study: which server, how it is started, where it is (design §4).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paretune/core/diagnostics.hpp"
#include "paretune/load/endpoint.hpp"
#include "paretune/space/space.hpp"

namespace paretune::engine {

enum class Kind { LlamaCpp, Vllm, Sglang, TensorRtLlm, Tgi, Lmdeploy, Sim, Command, Endpoint };

const char* to_string(Kind kind);  ///< the word of study files: "llama.cpp", "vllm" …
std::optional<Kind> kind_from(std::string_view word);
const std::vector<std::string>& kind_names();

/// One fixed flag of `engine.args`.
struct FixedArgument {
  std::string name;
  space::Level level;
  space::Style style = space::Style::Value;
};

struct EngineSpec {
  Kind kind = Kind::Command;
  std::vector<std::string> command;  ///< argv prefix; filled with the kind's default when absent
  std::string model;
  std::vector<FixedArgument> args;
  std::map<std::string, std::string> env;
  std::string gpus_text;                  ///< number or expression over the space; empty = unknown
  std::optional<space::Expression> gpus;  ///< parsed by spec once the space is known
  std::string ready_path;                 ///< empty = the kind's default, else /health, else /v1/models
  double ready_timeout_s = 600;
  double stop_grace_s = 10;
  std::string url;  ///< kind endpoint
  load::Api api = load::Api::Chat;
  std::map<std::string, std::string> headers;
  std::string api_key_env;  ///< name of the variable that holds the key
  std::string ca_file;
  bool insecure = false;
  std::string host = "127.0.0.1";
  std::optional<int> port;  ///< fixed port; default: a free one for every launch
  std::string device;       ///< catalogue id
  std::optional<int> device_count;

  /// Fixed arguments as a configuration, for expressions.
  space::Configuration fixed() const;
};

/// Collects all faults (unknown kind, missing url/model, unreadable ca_file …).
EngineSpec read_engine(const core::Node* node, core::Diagnostics& diagnostics);
core::Json to_json(const EngineSpec& spec);

}  // namespace paretune::engine
