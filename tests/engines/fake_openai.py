#!/usr/bin/env python3
"""A scripted OpenAI-compatible server for tests: serves well, or fails in one chosen way (--mode).

Speed depends on --slots as in a real server: a token takes --token-ms, longer when more requests run than there are slots.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODES = {
    "ok": "serve",
    "exit-at-once": "print an error and exit 7",
    "exit-by-signal": "die of SIGSEGV at the start",
    "oom": "say out of memory and exit 1",
    "never-ready": "listen, but /health says 503 for ever",
    "deaf": "run, but never listen",
    "die-under-load": "exit 9 in the middle of the 6th request",
    "http-500": "answer 500 to every request but the first (the readiness check)",
    "hang": "stop sending in the middle of every stream but the first",
    "deaf-to-term": "serve, and ignore SIGTERM",
    "family": "serve, with a child process that would outlive its parent",
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    lock = threading.Lock()
    running = 0
    served = 0

    def log_message(self, *args):
        pass

    def answer(self, code, content):
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if options.mode == "never-ready":
            self.answer(503, {"error": {"message": "Loading model", "code": 503}})
        elif self.path == "/health":
            self.answer(200, {"status": "ok"})
        elif self.path == "/v1/models":
            self.answer(200, {"object": "list", "data": [{"id": options.model, "object": "model"}]})
        else:
            self.answer(404, {"error": {"message": "no such path"}})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        with Handler.lock:
            Handler.served += 1
            Handler.running += 1
            number = Handler.served
        try:
            if options.mode == "http-500" and number > 1:
                self.answer(500, {"error": {"message": "internal error: worker is gone", "code": 500}})
            elif request.get("stream"):
                self.stream(request, number)
            else:
                self.whole(request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with Handler.lock:
                Handler.running -= 1

    def step(self):
        time.sleep(options.token_ms / 1000 * max(1.0, Handler.running / options.slots))

    @staticmethod
    def tokens(request):
        return int(request.get("max_completion_tokens") or request.get("max_tokens") or 16)

    @staticmethod
    def usage(request):
        tokens = Handler.tokens(request)
        return {"prompt_tokens": 8, "completion_tokens": tokens, "total_tokens": 8 + tokens}

    def whole(self, request):
        for _ in range(self.tokens(request)):
            self.step()
        self.answer(200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": "word"}, "text": "word",
                                       "finish_reason": "length"}], "usage": self.usage(request)})

    def stream(self, request, number):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        chat = self.path.endswith("/chat/completions")
        for index in range(self.tokens(request)):
            self.step()
            if index == 2 and options.mode == "hang" and number > 1:
                time.sleep(3600)
            if index == 2 and options.mode == "die-under-load" and number >= 6:
                print("fatal: worker died", file=sys.stderr, flush=True)
                os._exit(9)
            piece = {"delta": {"content": " word"}} if chat else {"text": " word"}
            self.event({"choices": [{"index": 0, "finish_reason": None, **piece}]})
        last = {"delta": {}} if chat else {"text": ""}
        self.event({"choices": [{"index": 0, "finish_reason": "length", **last}]})
        self.event({"choices": [], "usage": self.usage(request)})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def event(self, content):
        self.chunk(b"data: " + json.dumps(content).encode() + b"\n\n")

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def read_options():
    parser = argparse.ArgumentParser(allow_abbrev=False,
                                     epilog="modes: " + "; ".join(f"{name}: {text}" for name, text in MODES.items()))
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", default="fake")
    parser.add_argument("--mode", choices=MODES, default="ok")
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--token-ms", type=float, default=2)
    parser.add_argument("--start-s", type=float, default=0, help="seconds before it listens")
    return parser.parse_args()


def main():
    if options.mode == "exit-at-once":
        print("error: the fake server was told to exit", file=sys.stderr)
        return 7
    if options.mode == "exit-by-signal":
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)
    if options.mode == "oom":
        print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of "
              "79.10 GiB of which 1.25 GiB is free.", file=sys.stderr)
        return 1
    if options.mode == "deaf":
        time.sleep(3600)
    if options.mode == "deaf-to-term":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if options.mode == "family":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
    time.sleep(options.start_s)
    print(f"listening on {options.host}:{options.port}", flush=True)
    Server((options.host, options.port), Handler).serve_forever()
    return 0


if __name__ == "__main__":
    options = read_options()
    sys.exit(main())
