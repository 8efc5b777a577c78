"""Servers that fail in every known way: the study goes on, each failure has its class, time is bounded."""
import os
import signal
import unittest

from support import TestCase, fake_study, front_of, read_points


class Faults(TestCase):
    def tune(self, modes, timeout, code=0, **changes):
        study = fake_study({"mode": modes}, **changes)
        out = self.path("out")
        result = self.run_paretune("tune", self.write_study(study), "--out", out, timeout=timeout, code=code)
        self.assert_no_traceback(result)
        return result, front_of(out)

    def failure_of(self, front, mode):
        found = [f for f in front["failures"] if f["configuration"].get("mode") == mode]
        self.assertTrue(found, f"no failure for {mode}: {front['failures']}")
        return found[0]

    def check_one(self, mode, cls, phase, timeout, exit_code=None, **changes):
        """`mode` beside a healthy server: exit 0, the right class, the healthy points kept."""
        _, front = self.tune([mode, "ok"], timeout, **changes)
        failure = self.failure_of(front, mode)
        self.assertIn(failure["class"], cls if isinstance(cls, tuple) else (cls,), failure)
        self.assertIn(failure["phase"], phase if isinstance(phase, tuple) else (phase,), failure)
        if exit_code is not None:
            self.assertEqual(failure["exit_code"], exit_code, failure)
        self.assertTrue(failure["cause"], failure)
        log = os.path.join(self.path("out"), failure["log"])
        self.assertTrue(os.path.exists(log), failure)
        self.assertTrue(front["points"])
        self.assertTrue(all(p["configuration"]["mode"] == "ok" for p in front["points"]))
        return front, failure

    def test_exit_at_once(self):
        self.check_one("exit-at-once", "crash", "start", 15, exit_code=7)

    def test_exit_by_signal(self):
        _, failure = self.check_one("exit-by-signal", "crash", "start", 15)
        self.assertEqual(failure["signal"], signal.SIGSEGV)

    def test_out_of_memory(self):
        _, failure = self.check_one("oom", "out_of_memory", "start", 15, exit_code=1)
        self.assertIn("out of memory", failure["cause"])
        self.assertTrue(failure["advice"])

    def test_unknown_flag(self):
        study = fake_study({"slots": [1, 4], "no-such-flag": [1]})
        out = self.path("out")
        self.run_paretune("tune", self.write_study(study), "--out", out, timeout=15, code=3)
        self.assertEqual({f["class"] for f in front_of(out)["failures"]}, {"bad_flag"})

    def test_never_ready(self):
        self.check_one("never-ready", "timeout_start", "start", 30)

    def test_never_listens(self):
        self.check_one("deaf", "timeout_start", "start", 30)

    def test_dies_under_load(self):
        _, failure = self.check_one("die-under-load", "crash", ("measure", "warmup"), 30)
        self.assertEqual(failure["exit_code"], 9)

    def test_answers_500(self):
        self.check_one("http-500", ("unhealthy", "too_many_errors"), ("measure", "warmup"), 60)

    def test_hangs_in_the_middle_of_a_stream(self):
        self.check_one("hang", ("timeout_measure", "too_many_errors", "unhealthy"), ("measure", "warmup"), 90)

    def test_server_that_ignores_sigterm_is_killed(self):
        _, front = self.tune(["deaf-to-term"], 30)
        self.assertTrue(front["points"])  # leftovers are checked after every test

    def test_children_of_the_server_are_ended_too(self):
        _, front = self.tune(["family"], 30)
        self.assertTrue(front["points"])

    def test_nothing_usable_exits_3_and_shows_the_failures(self):
        result, front = self.tune(["exit-at-once", "oom"], 30, code=3)
        self.assertEqual(front["points"], [])
        self.assertEqual(len(front["failures"]), 2)
        self.assertIn("out_of_memory", result.out + result.err)

    def test_limits_that_nothing_meets_exit_3_with_the_nearest(self):
        result, front = self.tune(["ok"], 30, code=3, limits=["ttft:p95 <= 0.001ms"])
        self.assertEqual(front["points"], [])
        self.assertTrue(all(row["status"] == "infeasible" for row in read_points(self.path("out"))))
        self.assertIn("nearest", (result.out + result.err).lower())

    def test_program_that_does_not_exist_exits_4(self):
        study = fake_study()
        study["engine"]["command"] = ["/nowhere/no-such-server", "--port", "{port}"]
        result = self.run_paretune("tune", self.write_study(study), "--out", self.path("out"), timeout=15, code=4)
        self.assertIn("/nowhere/no-such-server", result.err)

    def test_failures_are_rows_of_points_csv(self):
        self.tune(["exit-at-once", "ok"], 15)
        failed = [row for row in read_points(self.path("out")) if row["status"] == "failed"]
        self.assertTrue(failed)
        for row in failed:
            self.assertEqual(row["class"], "crash")
            self.assertEqual(row["output_throughput"], "")


if __name__ == "__main__":
    unittest.main()
