"""Rec SDK: the arguments of `init`, and the steps that were told and those that were taken."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ..events import Refusal, Verdict
from ..places import Place
from ..sessions.rec_steps import RecSteps
from .seen import Seen

STEPS = ("max_steps", "train_steps", "eval_steps")


def judge_arguments(
    given: Mapping[str, Any], table: Mapping[str, Any], place: Place | None
) -> Iterator[Verdict]:
    """The verdicts on the arguments of `init`; a refusal is what `init` itself raises (`SEED-REC`)."""
    known = table["arguments"]
    for name in given:
        if name not in known and name not in table["former"]:
            yield Verdict("NPU501", "unknown-argument", "warning", {"argument": name}, place)
    for name, row in known.items():
        if name in given:
            yield from _value(name, given[name], row, table["largest"], place)
    passed = [given[name] for name in STEPS if name in given]
    if passed and not any(passed):
        refusal = Refusal(
            "at least one of max_steps, train_steps and eval_steps must differ from 0", "ValueError"
        )
        yield Verdict("NPU504", "all-zero", "error", {}, place, (), refusal)
    partners = ("save_checkpoint_due_time", "save_delta_checkpoints_secs")
    missing = [name for name in partners if given.get(name) is None]
    if given.get("is_incremental_checkpoint") is True and missing:
        refusal = Refusal(f"{missing[0]} must be set for incremental checkpoints", "ValueError")
        yield Verdict("NPU505", "incremental", "error", {"missing": missing}, place, (), refusal)


def imported_late(module: str, place: Place) -> Iterator[Verdict]:
    """The verdict on a `module` that is imported after Rec SDK (`REC-DOC`)."""
    yield Verdict("NPU514", "import-order", "info", {"module": module}, place)


def _value(
    name: str, value: Any, row: Mapping[str, Any], largest: int, place: Place | None
) -> Iterator[Verdict]:
    kind = row["kind"]
    arguments: dict[str, Any]
    if kind is None or value is None:
        return
    if kind == "bool":
        if not isinstance(value, bool):
            refusal = Refusal(f"{name} must be a bool", "ValueError")
            arguments = {"argument": name, "value": repr(value), "expected": "a bool"}
            yield Verdict("NPU502", "type", "error", arguments, place, (), refusal)
        return
    if not isinstance(value, int):
        refusal = Refusal(f"{name} must be an int", "ValueError")
        arguments = {"argument": name, "value": repr(value), "expected": "an int"}
        yield Verdict("NPU502", "type", "error", arguments, place, (), refusal)
    elif not row["smallest"] <= value <= largest:
        smallest = row["smallest"]
        refusal = Refusal(f"{name} must be in [{smallest}, {largest}]", "ValueError")
        arguments = {"argument": name, "value": value, "smallest": smallest, "largest": largest}
        yield Verdict("NPU503", "range", "error", arguments, place, (), refusal)


def judge_agreement(argument: str, told: int, taken: Any, place: Place | None) -> Iterator[Verdict]:
    """The verdict on steps that an Estimator takes; -1 is what `init` knows of steps it was not told."""
    if taken is None or told == taken:
        return
    arguments = {"argument": argument, "told": told, "taken": taken}
    if told == -1:
        yield Verdict("NPU509", "steps-unset", "warning", arguments, place)
    else:
        yield Verdict("NPU508", "steps-differ", "error", arguments, place)


def judge_end(steps: RecSteps) -> Iterator[Verdict]:
    """The verdicts on a script that has come to its end, about what its session runs have done."""
    for argument, taken in steps.taken():
        told = steps.told.get(argument, -1)
        if told > 0 and taken != told:
            arguments = {"argument": argument, "told": told, "taken": taken}
            yield Verdict("NPU508", "steps-differ", "error", arguments, steps.place)


def judge(seen: Seen) -> Iterator[Verdict]:
    """The verdict on a run of an initializer that belongs to the graph before it was modified."""
    for maker in seen.pruned.matching("MakeIterator"):
        if maker in seen.marks.dead_initializers:
            related = ((seen.marks.dead_initializers[maker], "modification"),)
            arguments = {"iterator": maker.inputs[1].op.name}
            yield Verdict("NPU513", "initializer-after-modification", "error", arguments, seen.place, related)
