"""Where results go: default names, directories that are full, not writable or not ours."""
import os
import shutil
import subprocess
import unittest

from support import TestCase, fake_study, front_of, read_points
from interrupt_test import long_study, stored_points


class Directory(TestCase):
    def test_default_directory_is_results_name_then_name_2(self):
        study = self.write_study(fake_study({"slots": [4]}))
        self.run_paretune("tune", study)
        self.run_paretune("tune", study)
        self.assertTrue(front_of(self.path("results", "fake"))["points"])
        self.assertTrue(front_of(self.path("results", "fake-2"))["points"])

    def test_paths_with_blanks_and_other_letters_work(self):
        out = self.path("my results – ünï")
        self.run_paretune("tune", self.write_study(fake_study({"slots": [4]})), "--out", out)
        self.assertTrue(front_of(out)["points"])
        self.run_paretune("resume", out)

    def test_logs_of_every_launch_are_kept(self):
        out = self.path("out")
        self.run_paretune("tune", self.write_study(fake_study()), "--out", out)
        for row in read_points(out):
            with open(os.path.join(out, "logs", row["launch"], "server.log")) as file:
                self.assertIn("listening", file.read())


class NotWritable(TestCase):
    def refuse(self, out):
        result = self.run_paretune("tune", self.write_study(fake_study()), "--out", out, code=4, timeout=15)
        self.assertIn(os.path.basename(out), result.err)

    def test_file_in_place_of_the_directory_exits_4_before_a_server_starts(self):
        with open(self.path("file"), "w") as file:
            file.write("mine")
        self.refuse(self.path("file", "out"))
        with open(self.path("file")) as file:
            self.assertEqual(file.read(), "mine")

    def test_directory_without_write_permission_exits_4(self):
        os.mkdir(self.path("locked"), 0o555)
        if os.access(self.path("locked"), os.W_OK):
            self.skipTest("permissions do not bind this user (root): the read-only mount test covers it")
        self.refuse(self.path("locked", "out"))

    def test_read_only_file_system_exits_4(self):
        mount = self.mount("ro,size=4m")
        self.refuse(os.path.join(mount, "out"))

    def mount(self, options):
        """A small file system of its own, or the test is skipped where mounting is not allowed."""
        point = self.path("mount")
        os.mkdir(point)
        if os.getuid() != 0 or not shutil.which("mount"):
            self.skipTest("mounting needs root")
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", point], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest("mounting is not allowed here: " + made.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", point])
        return point


class Full(NotWritable):
    refuse = None
    test_file_in_place_of_the_directory_exits_4_before_a_server_starts = None
    test_directory_without_write_permission_exits_4 = None
    test_read_only_file_system_exits_4 = None

    def test_disk_that_fills_up_exits_4_and_keeps_what_was_stored(self):
        mount = self.mount("size=4m")
        out = os.path.join(mount, "out")
        process = self.start("tune", self.write_study(long_study()), "--out", out)
        ballast = os.path.join(mount, "ballast")
        self.fill_when(lambda: len(stored_points(out)) >= 3 or process.poll() is not None, ballast)
        result = self.finish(process, 60)
        before = stored_points(out)
        self.assertEqual(result.code, 4, str(result))
        self.assert_no_traceback(result)
        self.assertRegex(result.err.lower(), "no space|full|disk")
        self.assertGreaterEqual(len(before), 3)
        os.remove(ballast)
        self.run_paretune("resume", out, timeout=90)
        rows = [row["id"] for row in read_points(out) if row["status"] in ("ok", "infeasible")]
        self.assertEqual(len(rows), 24)
        self.assertEqual(len(set(rows)), 24)
        self.assertLessEqual(set(before), set(rows))

    def fill_when(self, condition, path):
        from support import wait_until
        wait_until(condition, 30)
        try:
            with open(path, "wb") as file:
                while True:
                    file.write(b"\0" * 4096)
                    file.flush()
        except OSError:
            pass  # full, as wanted


if __name__ == "__main__":
    unittest.main()
