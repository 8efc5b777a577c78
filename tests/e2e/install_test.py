"""`make install` and the scripts of the front door."""
import os
import subprocess
import unittest

from support import PARETUNE, ROOT, TestCase


class Install(TestCase):
    def test_installed_program_runs_an_installed_study(self):
        prefix = self.path("prefix")
        subprocess.run(["cmake", "--install", os.path.dirname(PARETUNE), "--prefix", prefix], check=True,
                       capture_output=True)
        program = os.path.join(prefix, "bin", "paretune")
        study = os.path.join(prefix, "share", "paretune", "configs", "demo.yaml")
        subprocess.run([program, "tune", study, "--out", self.path("out")], check=True, capture_output=True, timeout=60,
                       env=self.environment())
        for file in ("README.md", "LICENSE", "docs/architecture.md"):
            self.assertTrue(os.path.exists(os.path.join(prefix, "share", "doc", "paretune", file)), file)

    def test_every_make_target_is_in_the_help(self):
        text = subprocess.run(["make", "-C", ROOT, "help"], check=True, capture_output=True, text=True).stdout
        for target in ("build", "demo", "test", "bench", "sanitize", "install", "test-vllm", "format", "tidy", "clean"):
            self.assertIn(f"make {target}", text)


if __name__ == "__main__":
    unittest.main()
