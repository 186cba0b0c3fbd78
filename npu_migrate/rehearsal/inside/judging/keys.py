"""The keys of the entry ``NpuOptimizer`` when a session starts."""

from __future__ import annotations

import difflib
import re
from typing import Any, Iterator, Mapping

from ..events import Refusal, Verdict
from ..places import Place
from ..sessions.options import ENTRY, Option, Options

_JUDGED_ELSEWHERE = frozenset(["iterations_per_loop", "experimental_accelerate_train_mode"])


def judge(options: Options, tables: Mapping[str, Any], place: Place | None) -> Iterator[Verdict]:
    """The verdicts on the names, fields and values of the keys."""
    known = tables["session_keys"]
    for key, option in sorted(options.keys.items()):
        if key not in known:
            # Which key was meant, the sentence tells.
            yield Verdict("NPU601", "unknown-key", "warning", {"key": key}, place)
            continue
        expected = known[key]["field"]
        if option.field and option.field != expected:
            arguments = {"key": key, "field": option.field, "expected": expected}
            yield Verdict("NPU602", "wrong-field", "error", arguments, place)
        elif option.field and key not in _JUDGED_ELSEWHERE:
            yield from _value(options, key, option, known[key], place)
    yield from _conflicts(options, tables, place)


def judge_other_entries(
    options: Options, tables: Mapping[str, Any], place: Place | None
) -> Iterator[Verdict]:
    """The verdicts on custom optimizers that are nearly called as the NPU's and carry its keys."""
    for name, keys in options.other_entries:
        similar = difflib.SequenceMatcher(None, name.lower(), ENTRY.lower()).ratio() > 0.8
        if similar and any(key in tables["session_keys"] for key in keys):
            yield Verdict("NPU608", "entry-name", "error", {"name": name}, place)


def _value(
    options: Options, key: str, option: Option, row: Mapping[str, Any], place: Place | None
) -> Iterator[Verdict]:
    if option.value == "" or _is_legal(option.value, row):
        return
    switch = row["checked_with"]
    refused = row["refused"] and (switch is None or options.flag(switch))
    yield Verdict(
        "NPU604",
        "illegal-value",
        "error" if refused else "warning",
        {"key": key, "value": option.value, "legal": row["legal"]},
        place,
        (),
        Refusal(f"{key} = {option.value} is invalid") if refused else None,
    )


def _is_legal(value: Any, row: Mapping[str, Any]) -> bool:
    if row["values"] is not None:
        return value in row["values"]
    if row["pattern"] is not None and isinstance(value, str):
        return re.fullmatch(row["pattern"], value) is not None
    if isinstance(value, int) and not isinstance(value, bool):
        smallest, largest = row["smallest"], row["largest"]
        return (smallest is None or value >= smallest) and (largest is None or value <= largest)
    return True


def _conflicts(options: Options, tables: Mapping[str, Any], place: Place | None) -> Iterator[Verdict]:
    for row in tables["conflicts"]:
        if _holds(options, row["one"], tables) and _holds(options, row["other"], tables):
            arguments = {"key": row["one"]["words"], "other": row["other"]["words"], "why": row["why"]}
            yield Verdict("NPU605", "conflict", row["severity"], arguments, place, (), _refusal(row))
    for row in tables["partners"]:
        needed = row["needed"]
        if _holds(options, row["one"], tables) and not any(_holds(options, part, tables) for part in needed):
            missing = " or ".join(part["words"] for part in needed)
            arguments = {"key": row["one"]["words"], "missing": missing, "why": row["why"]}
            yield Verdict("NPU606", "partner-missing", row["severity"], arguments, place, (), _refusal(row))
    if options.text("dynamic_graph_execute_mode") == "lazy_recompile" and options.flag("dynamic_input"):
        n = options.iterations
        if n > 1:
            refusal = Refusal("iterations_per_loop only support 1 in lazy_recompile mode")
            yield Verdict("NPU604", "lazy-recompile-loop", "error", {"n": n}, place, (), refusal)


def _refusal(row: Mapping[str, Any]) -> Refusal | None:
    if row["stops"] is None:
        return None
    return Refusal(row["why"], error=None) if row["stops"] == "abort" else Refusal(row["why"])


def _holds(options: Options, part: Mapping[str, Any], tables: Mapping[str, Any]) -> bool:
    """Whether a key has one of the values that are meant; see `Part` of the tables' source."""
    option = options.keys.get(part["key"])
    if option is None or option.value is None:
        return bool(part["default"]) and option is None
    if part["pattern"] is not None:
        return re.fullmatch(part["pattern"], str(option.value)) is not None
    if part["values"] is not None:
        return any(type(option.value) is type(one) and option.value == one for one in part["values"])
    if part["present"]:
        return True
    default = tables["session_keys"][part["key"]]["default"]
    return option.value not in ("", False) and not (option.value == default == -1)
