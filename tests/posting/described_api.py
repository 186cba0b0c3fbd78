"""A server that does what a description in `api/` says, and refuses everything else with 400.

A path, a query, a header or a field that the description does not have is refused, and so is a field of
the wrong type. Answers hold nothing but the fields that the description names. What there is, is a
`Forge` (`forges.py`).
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

API = Path(__file__).parent / "api"
TOKEN = "secret-token"
TYPES = {"string": str, "integer": int, "boolean": bool, "object": dict}


class Refused(Exception):
    """A request is not as the description wants it, or not possible."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Trouble(NamedTuple):
    """An answer in place of the right one, once. `obeyed` says that the request is done nevertheless.

    Without a status the connection ends without an answer.
    """

    operation: str
    status: int | None
    headers: Mapping[str, str] = {}
    body: str = '{"message": "trouble"}'
    obeyed: bool = False


@dataclass
class Service:
    """A description, what answers its operations, the troubles to come, and the requests that came."""

    description: dict[str, Any]
    operations: Callable[[str, dict[str, str], Any], Any]
    page_size: int = 2
    troubles: list[Trouble] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def count(self, *operations: str) -> int:
        return sum(one in operations for one in self.requests)


def description(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((API / f"{name}.yml").read_text("utf-8"))
    return found


@contextmanager
def serving(service: Service) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.service = service  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    service.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield service.address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._handle()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def _handle(self) -> None:
        service: Service = self.server.service  # type: ignore[attr-defined]
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length)
        try:
            name, values, query = self._operation(service.description)
            service.requests.append(name)
            trouble = next((one for one in service.troubles if one.operation in (name, "any")), None)
            if trouble is not None:
                service.troubles.remove(trouble)
                if trouble.obeyed:
                    self._obey(service, name, values, query, content)
                self._give(trouble.status, trouble.body.encode(), trouble.headers)
                return
            self._give(*self._obey(service, name, values, query, content))
        except Refused as error:
            service.requests.append(f"refused: {error}")
            self._give(error.status, json.dumps({"message": str(error)}).encode(), {})

    def _operation(self, description: dict[str, Any]) -> tuple[str, dict[str, str], dict[str, str]]:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query, strict_parsing=bool(address.query)))
        for name, one in description["operations"].items():
            pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", one["path"])
            match = re.fullmatch(pattern, address.path)
            if match and one["method"] == self.command:
                return name, {key: unquote(value) for key, value in match.groupdict().items()}, query
        raise Refused(400, f"unknown: {self.command} {self.path}")

    def _obey(
        self, service: Service, name: str, values: dict[str, str], query: dict[str, str], content: bytes
    ) -> tuple[int, bytes, dict[str, str]]:
        described = service.description
        one = described["operations"][name]
        if self.headers[described["token_header"]] != described["token_value"].format(token=TOKEN):
            raise Refused(401, "Bad credentials")
        for header, value in described["headers"].items():
            if self.headers[header] != value:
                raise Refused(400, f"header {header} is {self.headers[header]}")
        known = {*one.get("query", ()), *(("page", "per_page") if one.get("pages") else ())}
        if query.keys() - known:
            raise Refused(400, f"unknown query: {sorted(query.keys() - known)}")
        body = json.loads(content) if content else None
        if content and self.headers["Content-Type"] != "application/json":
            raise Refused(415, "not JSON")
        check(body, one.get("body"), "body")
        answer = service.operations(name, values, body)
        headers: dict[str, str] = {}
        if one.get("pages"):
            number, size = int(query.get("page", 1)), min(int(query.get("per_page", 20)), service.page_size)
            shown = answer[(number - 1) * size : number * size]
            headers = self._paging(
                described["paging"], number, number * size < len(answer), len(answer) > size
            )
            answer = shown
        told = [cut(entry, one["returns"]) for entry in answer] if isinstance(answer, list) else None
        result = cut(answer, one["returns"]) if told is None else told
        return one["status"], json.dumps(result).encode(), headers

    def _paging(self, kind: str, number: int, more: bool, several: bool) -> dict[str, str]:
        if kind == "x-next-page":
            return {"X-Next-Page": str(number + 1) if more else ""}
        if kind == "link" and several:
            base = self.path.partition("?")[0]
            links = [f'<http://x{base}?page=1>; rel="first"']
            links += [f'<http://x{base}?page={number + 1}>; rel="next"'] if more else []
            return {"Link": ", ".join(links)}
        return {}

    def _give(self, status: int | None, content: bytes, headers: Mapping[str, str]) -> None:
        if status is None:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def check(value: Any, form: Any, where: str) -> None:
    """Whether a value has the described form; a name with ``?`` may be left out."""
    if form is None:
        if value is not None:
            raise Refused(400, f"{where} is not expected")
    elif isinstance(form, str):
        if not isinstance(value, TYPES[form]) or (form == "integer" and isinstance(value, bool)):
            raise Refused(400, f"{where} is no {form}")
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise Refused(400, f"{where} is no list")
        for one in value:
            check(one, form[0], where)
    else:
        if not isinstance(value, dict):
            raise Refused(400, f"{where} is no object")
        names = {name.removesuffix("?"): name for name in form}
        if unknown := value.keys() - names.keys():
            raise Refused(400, f"{where} has unknown {sorted(unknown)}")
        for plain, name in names.items():
            if plain in value:
                check(value[plain], form[name], f"{where}.{plain}")
            elif not name.endswith("?"):
                raise Refused(400, f"{where}.{plain} is missing")


def cut(value: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """What of an answer the description names."""
    result: dict[str, Any] = {}
    for name in names:
        key, _, below = name.partition(".")
        if key not in value:
            continue
        if below and value[key] is not None:
            result.setdefault(key, {})[below] = value[key][below]
        else:
            result[key] = value[key]
    return result
