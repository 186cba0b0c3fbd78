"""Training acceleration: its mode, what goes with it, and what the hook tells the runtime."""

from __future__ import annotations

import os
from typing import Any, Iterator, Mapping

from ..events import Refusal, Verdict
from ..places import Place
from ..sessions.options import Options
from ..sessions.sessions import Session
from .seen import Seen


def judge_options(options: Options, table: Mapping[str, Any], place: Place | None) -> Iterator[Verdict]:
    """The verdicts on the mode of a session, and on what cannot be used together with it."""
    key = table["key"]
    mode = options.text(key)
    if not mode:
        return
    fields = mode.split("|")
    if len(fields) not in (2, 3) or fields[0] not in table["types"] or fields[1] not in table["ratios"]:
        refusal = Refusal(f"{key} = {mode} is malformed")
        yield Verdict("NPU301", "malformed", "error", {"mode": mode}, place, (), refusal)
        return
    if len(fields) == 3 and fields[2]:
        yield from _judge_ratio(key, mode, fields, table, place)
    for name, allowed in sorted(table["precision_modes"].items()):
        value = options.text(name)
        if value and value not in allowed:
            refusal = Refusal(f"{name} = {value} cannot be used with {key}")
            arguments = {"key": name, "value": value}
            yield Verdict("NPU303", "precision", "error", arguments, place, (), refusal)
    if options.iterations > 1:
        yield Verdict("NPU304", "under-offload", "warning", {"n": options.iterations}, place)


def _judge_ratio(
    key: str, mode: str, fields: list[str], table: Mapping[str, Any], place: Place | None
) -> Iterator[Verdict]:
    low, high = table["ratios"][fields[1]]
    try:
        ratio = float(fields[2])
    except ValueError:
        refusal = Refusal(f"{key} = {mode} has no ratio")
        yield Verdict("NPU301", "malformed", "error", {"mode": mode}, place, (), refusal)
        return
    if fields[2].strip() != fields[2]:
        refusal = Refusal(f"{key} = {mode} is malformed")
        yield Verdict("NPU301", "malformed", "error", {"mode": mode}, place, (), refusal)
    elif not low <= ratio <= high:
        refusal = Refusal(f"{key} = {mode} is out of range")
        arguments = {"mode": mode, "low": low, "high": high}
        yield Verdict("NPU302", "ratio", "error", arguments, place, (), refusal)


def trigger_of(options: Options, table: Mapping[str, Any]) -> str | None:
    """What the switch of the precision depends on: ``step`` or ``loss``, or None without acceleration."""
    fields = options.text(table["key"]).split("|")
    return fields[1] if len(fields) > 1 and fields[1] in table["variables"] else None


def judge(seen: Seen) -> Iterator[Verdict]:
    """The verdict on the first run of a session that changes variables on the device.

    With each graph that goes there the runtime asks how far training has come.
    """
    table = seen.tables["acceleration"]
    trigger = trigger_of(seen.session.options, table)
    if trigger is None:
        return
    missing = [name for name in table["variables"][trigger] if not _is_number(os.environ.get(name))]
    if missing:
        yield Verdict(
            "NPU305",
            "hook-missing",
            "error",
            {"variables": missing},
            seen.place,
            refusal=Refusal(f"environment variable {missing[0]} is not a number"),
        )


def judge_total(
    session: Session, table: Mapping[str, Any], taken: frozenset[int], place: Place | None
) -> Iterator[Verdict]:
    """The verdict on a total that the hook has told and that is none of `taken`, the steps asked for."""
    if trigger_of(session.options, table) != "step":
        return
    told = os.environ.get("TOTAL_STEP")
    if told is not None and _is_number(told) and float(told) not in taken and taken:
        arguments = {"told": told, "taken": max(taken)}
        yield Verdict("NPU306", "total-differs", "error", arguments, place)


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True
