"""Findings of a fix that is not applied, which are known only when typing rests."""

from __future__ import annotations

from lsprotocol import types

from npu_migrate.lsp.showing.diagnostics import Shown, still_refused


def shown(code: str, line: int, uri: str = "file:///a.py") -> Shown:
    place = types.Range(types.Position(line, 4), types.Position(line, 9))
    return Shown(uri, types.Diagnostic(place, code, code=code), None)


def test_a_refused_fix_stays_as_long_as_its_finding() -> None:
    earlier = [shown("NPU101", 3), shown("NPU905", 3), shown("NPU905", 7)]
    assert still_refused([shown("NPU101", 3)], earlier) == [shown("NPU905", 3)]
    assert still_refused([shown("NPU101", 3, "file:///b.py")], earlier) == []
