"""The real llama.cpp server with a real 135M-parameter model: launched, measured, tuned."""
import json
import os
import re
import subprocess
import sys
import unittest
import urllib.request

# One thread: llama.cpp's threads spin while they wait for each other, which on a busy machine slows them a hundredfold.
from support import CONFIGS, ENGINES, TestCase, free_port, front_of, read_points, wait_until

OUTPUT_TOKENS = 24
REQUESTS = 6


def model_path():
    return subprocess.run([sys.executable, os.path.join(ENGINES, "model_path.py")], capture_output=True, text=True,
                          check=True).stdout.strip()


def counter(text, name):
    return float(re.search(rf"(?m)^llamacpp:{name} (\S+)", text)[1])


class Llama(TestCase):
    def setUp(self):
        super().setUp()
        self.model = model_path()
        self.env = {"MODEL_PATH": self.model, "PATH": ENGINES + os.pathsep + os.environ["PATH"],
                    "LLAMA_SERVER_METRICS_DIR": self.directory}

    def study(self, **changes):
        return {
            "name": "llama",
            "engine": {"kind": "llama.cpp", "command": ["llama-server"], "model": self.model,
                       "args": {"ctx-size": 2048, "metrics": True, "threads": 1}, "ready": {"timeout": "60s"}},
            "space": {"parallel": [1, 2, 4]},
            "workload": {"prompt_tokens": 32, "output_tokens": OUTPUT_TOKENS, "concurrency": [1, 2, 4], "requests": REQUESTS},
            "objectives": [{"metric": "output_throughput", "direction": "max"}, {"metric": "ttft:p95", "direction": "min"}],
            "search": {"method": "grid", "seed": 1},
            **changes,
        }

    def metrics_of(self, pid):
        with open(self.path(f"{pid}.txt")) as file:
            return file.read()

    def test_three_configurations_at_three_levels_in_under_three_minutes(self):
        out = self.path("out")
        result = self.run_paretune("tune", self.write_study(self.study()), "--out", out, timeout=180, env=self.env)
        self.assertLess(result.seconds, 180)
        rows = read_points(out)
        self.assertEqual(len([row for row in rows if row["status"] == "ok"]), 9, str(result))
        self.assertTrue(front_of(out)["points"])

        by_launch = {}
        for row in rows:
            by_launch.setdefault(row["launch"], []).append(row)
        self.assertEqual(len(by_launch), 3)
        for launch in by_launch.values():
            self.assertEqual(len({row["pid"] for row in launch}), 1, "one launch is one process")
            # The server's own counter: all requests of the three windows and the one token of the readiness check.
            counted = counter(self.metrics_of(launch[0]["pid"]), "tokens_predicted_total")
            expected = len(launch) * REQUESTS * OUTPUT_TOKENS
            self.assertAlmostEqual(counted, expected, delta=0.01 * expected + 1)
        self.assertEqual(len({launch[0]["pid"] for launch in by_launch.values()}), 3)

    def test_flags_of_the_winner_start_the_same_server_again(self):
        out = self.path("out")
        study = self.study(space={"parallel": [2]})
        study["workload"]["concurrency"] = [2]
        self.run_paretune("tune", self.write_study(study), "--out", out, timeout=60, env=self.env)
        command = front_of(out)["points"][0]["launch_command"]
        self.assertEqual(command[0], "llama-server")
        self.assertEqual(command[command.index("--parallel") + 1], "2")

    def test_refused_combinations_are_classed_and_the_study_goes_on(self):
        study = self.study(space={"flash-attn": ["on", "off"], "cache-type-v": ["q8_0"]})
        study["workload"].update(concurrency=[1], requests=2)
        out = self.path("out")
        self.run_paretune("tune", self.write_study(study), "--out", out, timeout=90, env=self.env)
        front = front_of(out)
        self.assertEqual([p["configuration"]["flash-attn"] for p in front["points"]], ["on"])
        self.assertEqual(front["failures"][0]["class"], "bad_configuration")
        self.assertIn("flash_attn", front["failures"][0]["cause"])

    def test_memory_that_is_not_there_is_out_of_memory(self):
        study = self.study(space={"ctx-size": [8000000, 1024]})
        study["engine"]["args"] = {"fit": "off"}
        study["workload"].update(concurrency=[1], requests=2)
        out = self.path("out")
        self.run_paretune("tune", self.write_study(study), "--out", out, timeout=90, env=self.env)
        failure = front_of(out)["failures"][0]
        self.assertEqual(failure["class"], "out_of_memory", failure)
        self.assertEqual(failure["exit_code"], 1)

    def test_flag_that_the_server_lacks_is_refused_before_the_start(self):
        study = self.study(space={"paralel": [1, 2]})
        result = self.run_paretune("tune", self.write_study(study), "--out", self.path("out"), code=2, env=self.env)
        self.assertIn("paralel", result.err)
        self.assertIn("parallel", result.err)

    def test_shipped_study_runs(self):
        out = self.path("out")
        self.run_paretune("tune", os.path.join(CONFIGS, "llama-cpp.yaml"), "--out", out, "--launches", "2", "--set",
                          "workload.requests=4", "--set", "workload.warmup=0s", "--set", "workload.output_tokens=8", "--set",
                          "workload.prompt_tokens=16", "--set", "space.threads=[1]", "--set",
                          "baseline.threads=1", timeout=120, env=self.env)
        self.assertTrue(front_of(out)["points"])

    def test_baseline_is_measured_first_and_compared(self):
        study = self.study(baseline={"parallel": 1})
        study["space"] = {"parallel": [4, 1]}
        study["workload"].update(concurrency=[1, 4])
        out = self.path("out")
        result = self.run_paretune("tune", self.write_study(study), "--out", out, timeout=90, env=self.env)
        self.assertEqual(read_points(out)[0]["parallel"], "1")
        self.assertIn("%", result.out)


class Bench(TestCase):
    def test_token_counts_agree_with_the_servers_own_counters(self):
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        server = subprocess.Popen([os.path.join(ENGINES, "llama-server"), "-m", model_path(), "--port", str(port), "-c", "2048",
                                   "-np", "4", "-t", "1", "--metrics"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=self.environment())
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)

        def fetch(path):
            try:
                with urllib.request.urlopen(url + path, timeout=5) as answer:
                    return answer.read().decode()
            except OSError:
                return ""

        self.assertTrue(wait_until(lambda: "ok" in fetch("/health"), 30))
        before = fetch("/metrics")
        report = self.path("bench.json")
        self.run_paretune("bench", "--url", url, "--concurrency", "4", "--requests", "16", "--prompt-tokens", "48",
                          "--output-tokens", "24", "--json", report, timeout=120)
        after = fetch("/metrics")
        with open(report) as file:
            numbers = json.load(file)
        made = counter(after, "tokens_predicted_total") - counter(before, "tokens_predicted_total")
        self.assertEqual(numbers["completed"], 16)
        self.assertAlmostEqual(numbers["total_output_tokens"], made, delta=0.01 * made)
        read = sum(counter(after, name) - counter(before, name) for name in ("prompt_tokens_total", "prompt_tokens_cached_total"))
        self.assertAlmostEqual(numbers["total_input_tokens"], read, delta=0.01 * read)


if __name__ == "__main__":
    unittest.main()
