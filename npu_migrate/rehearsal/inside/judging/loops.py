"""Iteration offload: N in the session, in the loop, and in the steps that are taken."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ..events import Refusal, Verdict
from ..graphs.marks import Marks
from ..places import Place
from ..sessions.options import Options
from ..sessions.sessions import Session
from .seen import Seen


def judge_options(options: Options, place: Place | None) -> Iterator[Verdict]:
    """The verdicts on N as a session has it."""
    n = options.iterations
    if n < 1:
        reason = f"iterations_per_loop must be a positive integer, it is {n}"
        yield Verdict(
            "NPU201", "not-positive", "error", {"value": n}, place, refusal=Refusal(reason, error=None)
        )
    elif n > 1 and options.mixed:
        yield Verdict(
            "NPU205",
            "mixed-computing",
            "error",
            {"n": n},
            place,
            refusal=Refusal("iterations_per_loop only support 1 in mixed computing", error=None),
        )


def judge(seen: Seen) -> Iterator[Verdict]:
    """The verdicts on a run that trains in a session with N > 1."""
    session = seen.session
    n = session.options.iterations
    if n <= 1 or not seen.run.trains:
        return
    if seen.run.looped:
        if session.loop is None:
            yield Verdict("NPU209", "loop-missing", "error", {"n": n}, session.place or seen.place)
        return
    own = [loop for loop in seen.marks.loops if loop.inner in seen.pruned]
    for loop in own:
        yield Verdict(
            "NPU211", "looped-op-not-run", "error", {"op": loop.inner.name}, loop.place or seen.place
        )
    if not own and not seen.marks.loops:
        yield Verdict("NPU209", "loop-missing", "error", {"n": n}, session.place or seen.place)


def judge_made(train_op: Any, marks: Marks, place: Place | None) -> Iterator[Verdict]:
    """The verdicts on a loop around `train_op` that is to be made at `place`."""
    if train_op.graph.finalized:
        yield Verdict("NPU207", "graph-finalized", "error", {"op": train_op.name}, place)
    if any(one.inner is train_op and one.place == place for one in marks.loops):
        yield Verdict("NPU212", "loop-built-again", "error", {"op": train_op.name}, place)


def judge_loaded(session: Session, n: int, place: Place | None) -> Iterator[Verdict]:
    """The verdict on a loop of `n` steps that a session is given at `place`."""
    own = session.options.iterations
    if n == own:
        return
    refusal = Refusal("iterations_per_loop differs between the session and the graph", error=None)
    if "iterations_per_loop" in session.options.keys:
        arguments = {"session": own, "loop": n}
        yield Verdict("NPU206", "values-differ", "error", arguments, place, (), refusal)
    else:
        yield Verdict("NPU209", "key-missing", "error", {"n": n}, place, (), refusal)


def judge_steps(session: Session, steps: int, place: Place | None) -> Iterator[Verdict]:
    """The verdict on `steps` that are still to be trained."""
    n = session.options.iterations
    if n > 1 and steps > 0 and steps % n:
        yield Verdict("NPU202", "steps-not-divisible", "error", {"steps": steps, "n": n}, place)


def judge_checkpoints(session: Session, steps: int | None, place: Place | None) -> Iterator[Verdict]:
    """The verdict on a checkpoint every `steps` steps."""
    n = session.options.iterations
    if n > 1 and steps and steps % n:
        yield Verdict("NPU203", "checkpoint-steps", "warning", {"steps": steps, "n": n}, place)


def judge_settings(settings: Mapping[str, Any], place: Place | None) -> Iterator[Verdict]:
    """The verdicts on what `NPURunConfig` was told of single steps, when its training begins."""
    n = settings.get("iterations_per_loop", 1)
    if n <= 1:
        return
    single = [
        f"{name} = {settings[name]}"
        for name in ("save_summary_steps", "log_step_count_steps")
        if settings.get(name)
    ]
    if single:
        yield Verdict("NPU204", "single-steps", "warning", {"what": single, "n": n}, place)


def judge_hook(session: Session, hook: str, place: Place) -> Iterator[Verdict]:
    """The verdict on a hook that asks for single steps, once it goes with a training in a loop."""
    n = session.options.iterations
    if n > 1 and session.loop is not None:
        yield Verdict("NPU204", "single-steps", "warning", {"what": [hook], "n": n}, place)
