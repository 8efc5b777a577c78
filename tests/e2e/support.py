"""What the end-to-end tests share: running the program, small studies, reading results, finding processes.

Environment: PARETUNE = the program (default build/paretune). Only the Python standard library is used.
"""
import contextlib
import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARETUNE = os.path.abspath(os.environ.get("PARETUNE") or os.path.join(ROOT, "build", "paretune"))
ENGINES = os.path.join(ROOT, "tests", "engines")
CONFIGS = os.path.join(ROOT, "configs")
FAKE = os.path.join(ENGINES, "fake_openai.py")
MARK = "PARETUNE_TEST_MARK"


class Result:
    """Exit code, stdout, stderr and seconds of one finished run."""

    def __init__(self, args, code, out, err, seconds):
        self.args, self.code, self.out, self.err, self.seconds = args, code, out, err, seconds

    def __str__(self):
        return (f"paretune {' '.join(self.args)}\nexit {self.code} after {self.seconds:.1f} s\n"
                f"--- stdout\n{self.out}\n--- stderr\n{self.err}")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_points(directory):
    """Rows of points.csv as dictionaries of text."""
    with open(os.path.join(directory, "points.csv"), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def front_of(directory):
    return read_json(os.path.join(directory, "front.json"))


def wait_until(condition, timeout, pause=0.05):
    """The condition's first true value, or its last value after `timeout` seconds."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(pause)


def marked_processes(mark):
    """{pid: command line} of every living process that carries the mark, whoever its parent is now."""
    found = {}
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{name}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] in "ZX":
                    continue
            with open(f"/proc/{name}/cmdline", "rb") as file:
                found[int(name)] = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            pass  # gone meanwhile
    return found


def descendants(root):
    """{(pid, start time): command line} of everything below process `root` in the process tree."""
    children, facts = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            with open(f"/proc/{name}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        facts[int(name)] = ((int(name), fields[19]), line)
    found, queue = {}, [root]
    while queue:
        for pid in children.get(queue.pop(), []):
            key, line = facts[pid]
            found[key] = line
            queue.append(pid)
    return found


def is_alive(key):
    """Whether the process of a (pid, start time) still runs."""
    try:
        with open(f"/proc/{key[0]}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return fields[19] == key[1] and fields[0] not in "ZX"
    except OSError:
        return False


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def fake_study(space=None, **changes):
    """A study of the scripted server: 2 x 1 configurations x 2 levels, well under a second per point."""
    study = {
        "name": "fake",
        "engine": {"kind": "command", "command": [sys.executable, FAKE, "--host", "{host}", "--port", "{port}"],
                   "model": "fake", "ready": {"timeout": "5s"}, "stop": {"grace": "1s"}},
        "space": space if space is not None else {"slots": [1, 4]},
        "workload": {"prompt_tokens": 8, "output_tokens": 8, "concurrency": [1, 4], "requests": 12,
                     "timeouts": {"connect": "2s", "first_token": "2s", "gap": "2s", "total": "5s"}},
        "objectives": [{"metric": "output_throughput", "direction": "max"}, {"metric": "ttft:p95", "direction": "min"}],
        "search": {"method": "grid", "seed": 1},
    }
    study.update(changes)
    return study


class TestCase(unittest.TestCase):
    """A fresh directory and a mark per test; whatever a test leaves running is ended and reported as a failure."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="paretune-e2e-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.mark = uuid.uuid4().hex
        self.addCleanup(self.end_leftovers)

    def end_leftovers(self):
        left = wait_until_gone(self.mark, 3)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, {}, "processes left behind")

    def path(self, *parts):
        return os.path.join(self.directory, *parts)

    def environment(self, extra=None):
        return {**os.environ, "NO_COLOR": "1", MARK: self.mark, **(extra or {})}

    def write_study(self, study, name="study.json"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(study, file, indent=1)
        return self.path(name)

    def start(self, *args, env=None, **options):
        """A running paretune; its output goes to the file objects out and err of the result."""
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.addCleanup(out.close)
        self.addCleanup(err.close)
        process = subprocess.Popen([PARETUNE, *args], cwd=options.pop("cwd", self.directory), stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, env=self.environment(env), **options)
        process.out_file, process.err_file, process.started = out, err, time.monotonic()
        return process

    def finish(self, process, timeout):
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.fail(f"not done after {timeout} s\n{self.result_of(process, None)}")
        return self.result_of(process, code)

    @staticmethod
    def result_of(process, code):
        texts = []
        for file in (process.out_file, process.err_file):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Result(list(process.args[1:]), code, *texts, time.monotonic() - process.started)

    def run_paretune(self, *args, timeout=60, code=0, **options):
        """Runs to the end and checks the exit code; code=None accepts any."""
        result = self.finish(self.start(*args, **options), timeout)
        if code is not None:
            self.assertEqual(result.code, code, str(result))
        return result

    def assert_no_traceback(self, result):
        for word in ("terminate called", "Segmentation fault", "AddressSanitizer", "std::"):
            self.assertNotIn(word, result.err)


def wait_until_gone(mark, timeout):
    """What still carries the mark after at most `timeout` seconds."""
    left = {}

    def gone():
        left.clear()
        left.update(marked_processes(mark))
        return not left

    wait_until(gone, timeout)
    return left
