"""What is asked of a rehearsal."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Mapping, NamedTuple


class Request(NamedTuple):
    """The request document as a value; `protocol.RunRequest` outside says what its fields mean."""

    script: str
    arguments: list[str]
    folder: str
    root: str
    mode: str
    events: str
    max_runs: int | None = None
    record: bool = False
    deterministic: bool = False
    take_over: bool = False
    graphs: bool = False
    typed: str = ""
    origin: str = ""
    tables: Mapping[str, Any] = MappingProxyType({})


def request_of(document: dict[str, Any]) -> Request:
    """The request in `document`. Fields of a later version are ignored."""
    return Request(**{name: value for name, value in document.items() if name in Request._fields})
