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
            yield _unknown(key, tables, place)
            continue
        expected = known[key]["field"]
        if option.field and option.field != expected:
            arguments = {"key": key, "field": option.field, "expected": expected}
            yield Verdict("NPU602", "wrong-field", "error", arguments, place)
        elif option.field and key not in _JUDGED_ELSEWHERE:
            yield from _value(key, option, known[key], place)
    yield from _conflicts(options, tables, place)


def judge_other_entries(
    options: Options, tables: Mapping[str, Any], place: Place | None
) -> Iterator[Verdict]:
    """The verdicts on custom optimizers that are nearly called as the NPU's and carry its keys."""
    for name, keys in options.other_entries:
        similar = difflib.SequenceMatcher(None, name.lower(), ENTRY.lower()).ratio() > 0.8
        if similar and any(key in tables["session_keys"] for key in keys):
            yield Verdict("NPU608", "entry-name", "error", {"name": name}, place)


def _unknown(key: str, tables: Mapping[str, Any], place: Place | None) -> Verdict:
    arguments = {"key": key}
    similar = tables["obsolete_keys"].get(key)
    if similar is None:
        close = difflib.get_close_matches(key, tables["session_keys"], 1, 0.85)
        similar = close[0] if close else None
    if similar is not None:
        arguments["similar"] = similar
    return Verdict("NPU601", "unknown-key", "warning", arguments, place)


def _value(key: str, option: Option, row: Mapping[str, Any], place: Place | None) -> Iterator[Verdict]:
    legal = _what_is_legal(option.value, row)
    if legal is None or option.value in ("", row["default"]):
        return
    refusal = Refusal(f"{key} = {option.value} is invalid") if row["refused"] else None
    yield Verdict(
        "NPU604",
        "illegal-value",
        "error" if row["refused"] else "warning",
        {"key": key, "value": option.value, "legal": legal},
        place,
        (),
        refusal,
    )


def _what_is_legal(value: Any, row: Mapping[str, Any]) -> str | None:
    """None for a legal value, else words for what is."""
    if row["values"] is not None and value not in row["values"]:
        return ", ".join(map(str, row["values"]))
    smallest, largest = row["smallest"], row["largest"]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if smallest is not None and value < smallest:
            return f"{smallest} or more" if largest is None else f"{smallest} to {largest}"
        if largest is not None and value > largest:
            return f"{largest} or less" if smallest is None else f"{smallest} to {largest}"
    if row["pattern"] is not None and isinstance(value, str) and not re.fullmatch(row["pattern"], value):
        return "of the form " + str(row["pattern"])
    return None


def _conflicts(options: Options, tables: Mapping[str, Any], place: Place | None) -> Iterator[Verdict]:
    for one, other in tables["exclusive_keys"]:
        if _is_set(options, one) and _is_set(options, other):
            yield Verdict("NPU605", "conflict", "error", {"key": one, "other": other}, place)
    trio = tables["dynamic_trio"]
    given = [key for key in trio if _is_set(options, key)]
    if given and len(given) < len(trio):
        missing = [key for key in trio if key not in given]
        refusal = Refusal("{} should use together".format(", ".join(trio)), error=None)
        arguments = {"key": given[0], "missing": missing}
        yield Verdict("NPU606", "partner-missing", "error", arguments, place, (), refusal)
    if options.text("dynamic_graph_execute_mode") == "lazy_recompile" and options.flag("dynamic_input"):
        n = options.iterations
        if n > 1:
            refusal = Refusal("iterations_per_loop only support 1 in lazy_recompile mode")
            yield Verdict("NPU604", "lazy-recompile-loop", "error", {"n": n}, place, (), refusal)


def _is_set(options: Options, key: str) -> bool:
    option = options.keys.get(key)
    if option is None:
        return False
    # dynamic_node_type has a meaning from 0 on.
    return option.value is not None and (bool(option.value) or (option.field == "i" and option.value == 0))
