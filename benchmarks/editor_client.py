"""An editor that asks a language server over standard input and output, and knows what time it is.

It is as small as can be, so that what is measured is the server: one thread sends, another one receives.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

Message = dict[str, Any]

PATIENCE = 300
"""Seconds after which a server that says nothing counts as dead."""


class Received(NamedTuple):
    """A message of the server, and `time.perf_counter()` when it was there."""

    at: float
    message: Message


class Server:
    """A running language server and the one document that is open in it."""

    def __init__(self, command: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment
        )
        self._folder = folder
        self._received: queue.SimpleQueue[Received | None] = queue.SimpleQueue()
        self._requests = 0
        threading.Thread(target=self._receive, daemon=True).start()

    def initialize(self, options: Message) -> Received:
        """Shake hands; the answer to `initialize`."""
        answer = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": self._folder.as_uri(),
                "workspaceFolders": [{"uri": self._folder.as_uri(), "name": "benchmark"}],
                "initializationOptions": options,
                "capabilities": {"textDocument": {"publishDiagnostics": {"versionSupport": True}}},
            },
        )
        self.tell("initialized", {})
        return answer

    def open(self, path: Path, text: str) -> None:
        """Open a document as version 1."""
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, path: Path, version: int, change: Message) -> float:
        """Send one change of a document; `time.perf_counter()` before it was sent."""
        document = {"uri": path.as_uri(), "version": version}
        before = time.perf_counter()
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        return before

    def published(self, path: Path, version: int) -> Received:
        """The first diagnostics of that version of the document."""
        while True:
            received = self._next()
            params = received.message.get("params")
            if (
                received.message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == path.as_uri()
                and params.get("version") == version
            ):
                return received

    def ask(self, method: str, params: Message | None) -> Received:
        """Send a request; its answer. Raises `RuntimeError` if that is an error."""
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": params})
        while True:
            received = self._next()
            if received.message.get("id") == self._requests and "method" not in received.message:
                if "error" in received.message:
                    raise RuntimeError(f"{method}: {received.message['error']}")
                return received

    def tell(self, method: str, params: Message | None) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def cpu_seconds(self) -> float:
        """What the server has used of the processor so far (Linux only)."""
        return time.clock_gettime(~self._process.pid << 3 | 2)

    def rest(self) -> None:
        """Wait until the server has nothing more to do (Linux only)."""
        used = -1.0
        while (now := self.cpu_seconds()) != used:
            used = now
            time.sleep(1)

    def megabytes(self) -> float:
        """The memory that the server has at present (Linux only)."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def stop(self) -> None:
        """End the server. Raises `RuntimeError` if it did not end well."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        if self._process.wait(timeout=PATIENCE) != 0:
            raise RuntimeError(f"the server ended with exit code {self._process.returncode}")

    def _send(self, message: Message) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _next(self) -> Received:
        """The next message; requests of the server are answered with nothing."""
        received = self._received.get(timeout=PATIENCE)
        if received is None:
            raise RuntimeError("the server has gone")
        if "method" in received.message and "id" in received.message:
            self._send({"id": received.message["id"], "result": None})
        return received

    def _receive(self) -> None:
        assert self._process.stdout is not None
        stream = self._process.stdout
        while header := stream.readline():
            length = int(header.partition(b":")[2])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            self._received.put(Received(time.perf_counter(), message))
        self._received.put(None)
