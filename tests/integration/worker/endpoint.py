"""An HTTP endpoint on the loopback interface that handlers of a test are sent to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(ThreadingHTTPServer):
    """Answers by a subclass of Answering; a `with` block ends it."""

    daemon_threads = True

    def __init__(self, answering):
        super().__init__(("127.0.0.1", 0), answering)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handler(self):
        return {"http": f"http://127.0.0.1:{self.server_address[1]}/jobs"}


class Answering(BaseHTTPRequestHandler):
    """A subclass has do_POST."""

    protocol_version = "HTTP/1.1"

    def request_body(self):
        return json.loads(self.rfile.read(int(self.headers["content-length"])))

    def answer(self, status, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self):
        try:
            super().handle()
        except ConnectionError:  # the worker has ended, or given up
            pass

    def log_message(self, *_):
        pass
