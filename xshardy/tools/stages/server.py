"""A page on the loopback of this machine."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket
from typing import ClassVar

LOOPBACK = "127.0.0.1"


class PageHandler(BaseHTTPRequestHandler):
    """Answers every request for `/` with the page, and nothing else."""

    page: ClassVar[bytes] = b""

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").partition(":")[0]
        if self.path != "/" or host not in (LOOPBACK, "localhost"):  # another name could be that of another site
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page)

    def log_message(self, format: str, *args: object) -> None:
        pass


class PageServer(ThreadingHTTPServer):
    """A thread for each connection: browsers open some ahead of use, and one that says nothing holds up no other."""

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may leave before it has the page
            super().handle_error(request, client_address)


def page_server(page: str, port: int) -> PageServer:
    """A server of `page` on the loopback; port 0 is any. Raises `OSError` if the port is taken."""
    handler = type("Handler", (PageHandler,), {"page": page.encode()})
    return PageServer((LOOPBACK, port), handler)


def serve(page: str, port: int) -> None:
    """Serve `page` until the command is interrupted. Prints the address."""
    with page_server(page, port) as server:
        print(f"http://{LOOPBACK}:{server.server_port}/  (Ctrl-C ends it)", flush=True)
        server.serve_forever()
