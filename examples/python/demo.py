"""Two programs that remember through one service: what the first is told, the second knows. See README.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Iterator

from lamina_client import LaminaClient, LaminaError

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def service() -> Iterator[str]:
    """The address of a service: LAMINA_URL, or one of our own in a folder that is gone afterwards."""
    if url := os.environ.get("LAMINA_URL"):
        yield url
        return
    with tempfile.TemporaryDirectory() as folder:
        # In a project of yours: npx lamina serve
        command = ["node", str(ROOT / "bin/lamina.js"), "serve", "--port", "0", "--database", f"sqlite:{folder}/data"]
        path = f"{ROOT / 'node_modules/.bin'}{os.pathsep}{os.environ['PATH']}"
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PATH": path})
        assert process.stdout is not None
        try:
            yield address_in(process.stdout)
        finally:
            process.terminate()
            process.stdout.read()
            process.wait()
            process.stdout.close()


def address_in(log: Iterator[str]) -> str:
    for line in log:
        if found := re.search(r"listening at (http://[0-9.:]+)", line):
            return found[1]
    raise SystemExit("lamina serve did not start.")


@contextmanager
def busy_once(url: str) -> Iterator[str]:
    """A proxy that is overloaded the first time, and then leads to the service: to see that the client tries again."""
    seen: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(self.path)
            if len(seen) == 1:
                self.send_response(503)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            headers = {name: self.headers[name] for name in ("X-User-ID", "Content-Type")}
            with urllib.request.urlopen(urllib.request.Request(url + self.path, body, headers)) as response:
                answer = response.read()
                self.send_response(response.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"Not as expected: {what}")


def first_program(url: str) -> None:
    memory = LaminaClient(url, user="ada")
    added = memory.add("Ada is allergic to hazelnuts", layer="user", tags=["health"])
    again = memory.add("Ada is allergic to hazelnuts", layer="user", tags=["health"])
    print(f"Told twice: {added['status']}, then {again['status']}.")
    expect(again["status"] == "unchanged", "the same was stored twice")
    memory.set_state("dinner", "guests", {"count": 4})


def second_program(url: str) -> None:
    memory = LaminaClient(url, user="ada")
    best = memory.search("Which food must she avoid?", threshold=0.1)["results"][0]
    print(f"Found with a score of {best['score']:.2f}: {best['memory']['content']}")
    expect("hazelnuts" in best["memory"]["content"], "nothing was found")
    print(f"Guests: {memory.get_state('dinner', 'guests')['count']}. Music: {memory.get_state('dinner', 'music', 'none')}.")

    prompt = memory.turn_context("May Ada eat hazelnuts?")["prompt"]
    print("The model reads:\n" + re.sub("^", "  | ", prompt, flags=re.M))
    expect("allergic" in prompt, "the prompt lacks what is known")

    strangers = LaminaClient(url, user="bob").search("Which food must she avoid?", threshold=0.1)["results"]
    print(f"Bob finds {len(strangers)} of it.")
    expect(strangers == [], "what is Ada's was shown to Bob")


def failures(url: str) -> None:
    memory = LaminaClient(url, user="ada", delay=0.1)
    try:
        memory.add("?", layer="planet")
    except LaminaError as error:
        print(f"A mistake: {error}")
        expect(error.code == "INVALID_LAYER" and not error.retryable, "another error")

    known = memory.search("hazelnuts", threshold=0.1)["results"][0]["memory"]
    memory.update(known["id"], if_version=known["version"], importance=0.9)
    try:
        memory.update(known["id"], if_version=known["version"], importance=0.1)
    except LaminaError as error:
        print(f"Somebody was faster: {error.code}.")
        expect(error.code == "VERSION_CONFLICT", "another error")
    else:
        expect(False, "a change was lost")

    with busy_once(url) as proxy:
        started = time.monotonic()
        found = LaminaClient(proxy, user="ada", delay=0.1).search("hazelnuts", threshold=0.1)
        expect(len(found["results"]) == 1 and time.monotonic() - started >= 0.05, "the client did not try again")
        print("Overloaded once: the client tried again, and found it.")

    try:
        LaminaClient("http://127.0.0.1:9", user="ada", attempts=2, delay=0.1).search("hazelnuts")
    except LaminaError as error:
        print(f"Nobody there: {error.code}.")
        expect(error.code == "UNAVAILABLE", "another error")


def main() -> None:
    with service() as url:
        first_program(url)
        second_program(url)
        failures(url)
        memory = LaminaClient(url, user="ada")
        print(f"Forgotten: {memory.forget(layer='user', filter={'tags': ['health']})}.")
        expect(memory.search("hazelnuts", threshold=0.1)["results"] == [], "it is still there")


if __name__ == "__main__":
    sys.exit(main())
