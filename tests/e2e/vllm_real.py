"""A real vLLM CPU server, tuned (make test-vllm): batch limits x concurrency, one configuration that cannot start.

Environment: PARETUNE_VLLM_VENV = where tests/engines/vllm/setup.sh installed it.
"""
import os
import unittest

from support import TestCase, descendants, front_of, is_alive, read_points, wait_until

VENV = os.path.abspath(os.environ.get("PARETUNE_VLLM_VENV", ".venv-vllm"))


class Vllm(TestCase):
    def study(self):
        return {
            "name": "vllm-cpu",
            "engine": {
                "kind": "vllm",
                "command": [os.path.join(VENV, "bin", "vllm"), "serve"],
                "model": os.path.join(VENV, "models", "tiny4"),
                "args": {"load-format": "dummy", "max-model-len": 1024, "enforce-eager": True},
                "env": {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1",
                        "VLLM_CPU_KVCACHE_SPACE": "1"},
                "ready": {"timeout": "5m"}, "stop": {"grace": "20s"},
            },
            "space": {"max-num-seqs": [4, 64], "max-num-batched-tokens": [32, 1024]},
            "workload": {"prompt_tokens": 64, "output_tokens": 16, "concurrency": [1, 4], "requests": 16},
            "objectives": [{"metric": "output_throughput", "direction": "max"}, {"metric": "ttft:p95", "direction": "min"}],
            "search": {"method": "grid", "seed": 1},
        }

    def test_batch_limits_and_concurrency(self):
        out = self.path("out")
        process = self.start("tune", self.write_study(self.study()), "--out", out)
        seen, most = {}, 0

        def done():
            nonlocal most
            now = descendants(process.pid)  # vLLM renames its processes, which hides the mark in their environment
            seen.update(now)
            most = max(most, sum("vllm" in line.lower() for line in now.values()))
            return process.poll() is not None

        self.assertTrue(wait_until(done, 1500, pause=1), "not done after 25 minutes")
        result = self.finish(process, 1)
        print(result)
        self.assertEqual(result.code, 0)
        self.assertGreaterEqual(most, 3, "API server, engine core and worker")

        front = front_of(out)
        self.assertTrue(front["points"])
        (failure,) = front["failures"]
        self.assertEqual(failure["configuration"], {"max-num-seqs": 64, "max-num-batched-tokens": 32})
        self.assertEqual(failure["class"], "bad_configuration")
        self.assertIn("max_num_batched_tokens (32)", failure["cause"])
        rows = [row for row in read_points(out) if row["status"] == "ok"]
        self.assertEqual(len(rows), 6)
        self.assertEqual(len({row["pid"] for row in rows}), 3)
        self.assertEqual([line for key, line in seen.items() if is_alive(key)], [], "processes left behind")


if __name__ == "__main__":
    unittest.main()
