"""The command line itself: help, exit codes, bad input, the shipped studies."""
import glob
import json
import os
import re
import unittest

from support import CONFIGS, ENGINES, ROOT, TestCase, fake_study

COMMANDS = ["init", "tune", "resume", "plan", "validate", "bench", "sim", "front", "engines", "doctor"]
SCREEN = 48  # lines of a present-day terminal window


class Help(TestCase):
    def test_main_help_names_every_command_and_the_exit_codes(self):
        text = self.run_paretune("--help").out
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^\s+{command}\b")
        for code in ("0", "2", "3", "4", "130"):
            self.assertIn(code, text)

    def test_help_of_every_command_fits_a_screen_and_has_an_example(self):
        for command in COMMANDS:
            with self.subTest(command):
                text = self.run_paretune(command, "--help").out
                self.assertLessEqual(text.count("\n"), SCREEN, text)
                self.assertLessEqual(max(map(len, text.splitlines())), 120, text)
                self.assertRegex(text.lower(), "example")
                self.assertIn(f"paretune {command}", text)

    def test_every_option_has_a_description(self):
        for command in COMMANDS:
            with self.subTest(command):
                lines = self.run_paretune(command, "--help").out.splitlines()
                for number, line in enumerate(lines):
                    option = re.match(r"\s+(-\w,\s*)?--[\w-]+", line)
                    if not option or line.strip().startswith("paretune"):
                        continue
                    rest = re.sub(r"^\s+\S+(\s+[A-Z|\[\]:.{},…-]+)*\s*", "", line)
                    below = lines[number + 1] if number + 1 < len(lines) else ""
                    self.assertTrue(re.search(r"[a-z]{2}", rest) or re.match(r"\s{8,}[a-z]", below, re.I), line)

    def test_options_of_the_contract_are_there(self):
        contract = {
            "tune": ["--out", "--method", "--seed", "--launches", "--points", "--time", "--dry-run", "--virtual", "--set"],
            "plan": ["--json"],
            "init": ["--engine", "--model"],
            "bench": ["--url", "--model", "--concurrency", "--rate", "--requests", "--duration", "--warmup",
                      "--prompt-tokens", "--output-tokens", "--json", "--records"],
            "sim": ["--host", "--port", "--model", "--device", "--seed", "--speed", "--fault", "--max-num-seqs",
                    "--max-num-batched-tokens", "--max-model-len", "--gpu-memory-utilization", "--tensor-parallel-size",
                    "--pipeline-parallel-size", "--quantization", "--kv-cache-dtype", "--enable-chunked-prefill",
                    "--enable-prefix-caching"],
            "front": ["--objective", "--limit", "--group-by", "--id", "--json"],
        }
        for command, options in contract.items():
            text = self.run_paretune(command, "--help").out
            for option in options:
                with self.subTest(f"{command} {option}"):
                    self.assertIn(option, text)

    def test_version(self):
        self.assertRegex(self.run_paretune("--version").out, r"\d+\.\d+\.\d+")


class BadInput(TestCase):
    def refuse(self, *args, words=(), code=2):
        result = self.run_paretune(*args, code=code, timeout=20)
        self.assertEqual(result.out, "")
        self.assertIn("error", result.err)
        for word in words:
            self.assertIn(word, result.err)
        self.assert_no_traceback(result)
        return result

    def refuse_study(self, study, *words):
        text = study if isinstance(study, str) else json.dumps(study, indent=1)
        path = self.path("bad.yaml" if isinstance(study, str) else "bad.json")
        with open(path, "w") as file:
            file.write(text)
        out = self.path("out")
        result = self.refuse("tune", path, "--out", out, words=words)
        self.assertFalse(os.path.exists(out), "a directory was made for a bad file")
        checked = self.run_paretune("validate", path, code=2)
        for word in words:
            self.assertIn(word, checked.out + checked.err)
        return result

    def test_usage(self):
        self.refuse("tune")
        self.refuse("no-such-command")
        self.refuse("tune", "--no-such-option", "x.yaml", words=["--no-such-option"])
        self.refuse("bench", "--url", "http://127.0.0.1:1")  # neither --requests nor --duration

    def test_file_that_is_not_there(self):
        self.refuse("tune", self.path("absent.yaml"), words=["absent.yaml"])

    def test_misspelt_key_is_named_with_line_and_suggestion(self):
        study = fake_study()
        study["objectvies"] = study.pop("objectives")
        result = self.refuse_study(study, "objectvies", "objectives")
        self.assertRegex(result.err, r"bad\.json:\d+")

    def test_duplicate_key(self):
        self.refuse_study("name: a\nname: b\n", "name", "bad.yaml:2")

    def test_unknown_metric(self):
        self.refuse_study(fake_study(objectives=[{"metric": "output_thruput", "direction": "max"}]), "output_throughput")

    def test_latency_without_a_statistic(self):
        self.refuse_study(fake_study(objectives=[{"metric": "ttft", "direction": "min"}]), "ttft")

    def test_bad_range(self):
        self.refuse_study(fake_study({"slots": {"min": 4, "max": 1}}), "slots")

    def test_searcher_that_does_not_exist(self):
        self.refuse_study(fake_study(search={"method": "nsga3"}), "nsga2")

    def test_several_faults_are_reported_together(self):
        study = fake_study({"slots": {"min": 4, "max": 1}, "other": []})
        study["worklod"] = {}
        self.refuse_study(study, "slots", "other", "worklod")

    def test_bad_set_override(self):
        path = self.write_study(fake_study())
        self.refuse("tune", path, "--set", "workload.no_such_key=1", words=["no_such_key"])

    def test_endpoint_that_is_not_reachable_exits_4(self):
        study = fake_study()
        study["engine"] = {"kind": "endpoint", "url": "http://127.0.0.1:1", "ready": {"timeout": "1s"}}
        study.pop("space")
        result = self.run_paretune("tune", self.write_study(study), "--out", self.path("out"), code=4, timeout=20)
        self.assertIn("127.0.0.1:1", result.err)

    def test_bench_of_a_dead_port_exits_4(self):
        self.run_paretune("bench", "--url", "http://127.0.0.1:1", "--requests", "2", code=4, timeout=20)


class Configs(TestCase):
    def test_every_shipped_study_validates(self):
        files = sorted(glob.glob(os.path.join(CONFIGS, "**", "*.yaml"), recursive=True))
        self.assertGreaterEqual(len(files), 4)
        env = {"MODEL_PATH": __file__, "PATH": ENGINES + os.pathsep + os.environ["PATH"]}
        for file in files:
            with self.subTest(os.path.relpath(file, ROOT)):
                # 4 = the study is right, this machine lacks its engine (vllm.yaml)
                result = self.run_paretune("validate", file, env=env, code=None)
                self.assertIn(result.code, (0, 4), str(result))

    def test_huge_spaces_are_counted_at_once(self):
        digits = list(range(10))
        study = fake_study({f"p{i}": digits for i in range(8)} | {"q": [1, 2]})
        result = self.run_paretune("plan", self.write_study(study), "--json", timeout=10)
        self.assertEqual(json.loads(result.out)["configurations"]["total"], 200000000)

    def test_init_writes_a_study_that_validates(self):
        path = self.path("new.yaml")
        self.run_paretune("init", "--engine", "sim", "-o", path)
        self.run_paretune("validate", path)


if __name__ == "__main__":
    unittest.main()
