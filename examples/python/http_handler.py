"""An HTTP handler: runs the jobs that a worker posts to it if their signature is valid.

    http_handler.py [--address HOST:PORT] [--secret-file FILE]

The signature is that of Standard Webhooks (https://www.standardwebhooks.com): base64(HMAC-SHA256(key,
"<webhook-id>.<webhook-timestamp>.<body>")), with one signature per secret in use.
"""

import argparse
import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_AGE_SECONDS = 300  # an older request may be a replay of a recorded one


def key_of(secret):
    """Decodes `whsec_` and base64; any other secret is used as it is."""
    return base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()


def is_signed(key, headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    content = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps the worker's connections open
    key = b""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.key and not is_signed(self.key, self.headers, body):
            return self.answer(401)
        job = json.loads(body)
        if "order" not in job["args"]:
            return self.answer(410)  # the job can never succeed: discard it
        self.log_line(f"done {job['account']} {job['id']} attempt {job['attempt']} token {job['token']}")
        return self.answer(200, {"ok": True})

    def answer(self, status, answer=None):
        body = json.dumps(answer).encode() if answer else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @staticmethod
    def log_line(text):
        sys.stdout.write(text + "\n")  # one call, because each request has its own thread
        sys.stdout.flush()

    def log_message(self, *_):
        """Logs nothing: the worker counts requests already."""


class Server(ThreadingHTTPServer):
    request_queue_size = 1024  # a worker opens many connections at once
    daemon_threads = True


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--address", default="127.0.0.1:3000")
    options.add_argument("--secret-file")
    given = options.parse_args()
    if given.secret_file:
        with open(given.secret_file, encoding="utf-8") as file:
            Handler.key = key_of(file.readline().strip())
    host, port = given.address.rsplit(":", 1)
    Server((host, int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main()
