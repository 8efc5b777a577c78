"""Ctrl-C, kill -9 and resume: nothing stored is lost or repeated, no server is left."""
import collections
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from support import (FAKE, TestCase, fake_study, free_port, front_of, marked_processes, read_points, wait_until,
                     wait_until_gone)


def long_study(**changes):
    """8 configurations x 3 levels of about 0.7 s each."""
    study = fake_study({"slots": [1, 2, 3, 4, 5, 6, 7, 8]}, **changes)
    study["workload"].update(concurrency=[1, 2, 4], duration="0.6s")
    study["workload"].pop("requests")
    return study


def stored_points(directory):
    """Ids of the measured points in study.db, read beside the writer."""
    path = os.path.join(directory, "study.db")
    if not os.path.exists(path):
        return []
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5) as db:
            tables = [name for (name,) in db.execute("select name from sqlite_master where type='table'")]
            table = next((name for name in tables if "point" in name), None)
            return [row[0] for row in db.execute(f"select id from {table}")] if table else []
    except sqlite3.Error:
        return []


class Interrupt(TestCase):
    def start_study(self, study=None, points=2):
        """A study that has stored at least `points` points and is still running."""
        out = self.path("out")
        process = self.start("tune", self.write_study(study or long_study()), "--out", out)
        wait_until(lambda: len(stored_points(out)) >= points or process.poll() is not None, 30)
        if process.poll() is not None:
            self.fail(f"ended too early\n{self.result_of(process, process.returncode)}")
        return process, out

    def check_complete(self, out, before):
        """Every point of the long study once; the ids known before are still there."""
        rows = [row for row in read_points(out) if row["status"] in ("ok", "infeasible")]
        counted = collections.Counter((row["slots"], row["concurrency"]) for row in rows)
        self.assertEqual(len(counted), 24, counted)
        self.assertEqual(set(counted.values()), {1}, "a point was repeated")
        self.assertLessEqual(set(before), {row["id"] for row in rows}, "a stored point was lost")

    def test_ctrl_c_once_keeps_the_results_and_says_how_to_resume(self):
        process, out = self.start_study()
        process.send_signal(signal.SIGINT)
        result = self.finish(process, 20)
        self.assertEqual(result.code, 130, str(result))
        self.assertIn(f"resume {out}", result.out + result.err)
        self.assertTrue(front_of(out)["points"])
        self.assertEqual(wait_until_gone(self.mark, 1), {})

    def test_ctrl_c_twice_ends_at_once(self):
        study = long_study()
        study["space"] = {"mode": ["deaf-to-term"]}
        study["engine"]["stop"] = {"grace": "30s"}
        study["workload"]["duration"] = "20s"
        out = self.path("out")
        process = self.start("tune", self.write_study(study), "--out", out)
        self.assertTrue(wait_until(lambda: any(FAKE in line and "--port" in line
                                               for line in marked_processes(self.mark).values()), 15))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        result = self.finish(process, 10)
        self.assertEqual(result.code, 130, str(result))
        self.assertEqual(wait_until_gone(self.mark, 5), {})

    def test_resume_after_ctrl_c_measures_only_what_is_missing(self):
        process, out = self.start_study()
        process.send_signal(signal.SIGINT)
        self.finish(process, 20)
        before = stored_points(out)
        self.run_paretune("resume", out, timeout=90)
        self.check_complete(out, before)

    def test_servers_end_by_themselves_after_kill_9(self):
        process, _ = self.start_study()
        self.assertGreater(len(marked_processes(self.mark)), 1)
        process.kill()
        process.wait()
        self.assertEqual(wait_until_gone(self.mark, 10), {}, "still alive 10 s after the kill")

    def test_a_family_of_servers_ends_by_itself_after_kill_9(self):
        study = long_study()
        study["engine"]["args"] = {"mode": "family"}
        process, _ = self.start_study(study)
        process.kill()
        process.wait()
        self.assertEqual(wait_until_gone(self.mark, 10), {}, "still alive 10 s after the kill")

    def test_resume_after_kill_9_loses_and_repeats_nothing(self):
        process, out = self.start_study(points=4)
        process.kill()
        process.wait()
        before = stored_points(out)
        self.assertGreaterEqual(len(before), 4)
        self.run_paretune("resume", out, timeout=90)
        self.check_complete(out, before)

    def test_resume_of_a_finished_study_runs_nothing(self):
        out = self.path("out")
        self.run_paretune("tune", self.write_study(fake_study()), "--out", out)
        before = read_points(out)
        result = self.run_paretune("resume", out, timeout=10)
        self.assertEqual(read_points(out), before)
        self.assertLess(result.seconds, 3)

    def test_resume_without_a_study_exits_2(self):
        os.mkdir(self.path("empty"))
        self.run_paretune("resume", self.path("empty"), code=2)
        self.run_paretune("resume", self.path("absent"), code=2)

    def test_second_process_on_one_directory_is_refused_with_the_pid_of_the_first(self):
        process, out = self.start_study(points=1)
        result = self.run_paretune("resume", out, code=4, timeout=10)
        self.assertIn(str(process.pid), result.err)
        self.assertIsNone(process.poll(), "the first process was disturbed")
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process, 20).code, 130)

    def test_tune_into_a_directory_with_a_study_exits_2_with_the_resume_line(self):
        out = self.path("out")
        study = self.write_study(fake_study())
        self.run_paretune("tune", study, "--out", out)
        result = self.run_paretune("tune", study, "--out", out, code=2)
        self.assertIn("resume", result.err)

    def test_a_server_of_somebody_else_is_never_signalled(self):
        port = free_port()
        neighbour = subprocess.Popen(["python3", FAKE, "--port", str(port)], stdout=subprocess.DEVNULL)
        self.addCleanup(neighbour.wait)
        self.addCleanup(neighbour.kill)
        study = fake_study({"slots": [2]})
        study["engine"]["port"] = port
        self.run_paretune("tune", self.write_study(study), "--out", self.path("out"), code=None, timeout=60)
        self.assertIsNone(neighbour.poll(), "the neighbour was ended")
        failures = front_of(self.path("out"))["failures"] if os.path.exists(self.path("out", "front.json")) else []
        self.assertTrue(all(failure["class"] == "port_in_use" for failure in failures), failures)


if __name__ == "__main__":
    unittest.main()
