"""What the training itself says about the steps that Rec SDK's `init` has to be told.

Estimator programs say it in ``train``, ``TrainSpec``, ``EvalSpec`` and ``NPURunConfig``, others in their
loops around ``session.run``. Sources: SEED-REC; DOC-PORT; the defaults of ``EvalSpec`` are TensorFlow's [TF].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import Attribute, Call, FileFacts, last_name
from npu_migrate.index.names import code_scope
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import Passed, passed_objects
from npu_migrate.semantics.flow import call_targets, externals_called
from npu_migrate.semantics.resolution import scope_of
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Value, constant, is_integer
from npu_migrate.training.npu.configs import calls_of, run_config_setting, run_configs
from npu_migrate.training.npu.device_loop import parts_in
from npu_migrate.training.npu.trainings import (
    TRAIN_AND_EVALUATE,
    TRAIN_SPEC,
    training_argument,
    trainings,
)
from npu_migrate.training.rec.counted_loops import (
    Guard,
    Loop,
    guards,
    other_loops,
    other_runs,
    training_loops,
    turns,
    turns_in_all,
    within,
)

EVAL_SPEC = "tensorflow.estimator.EvalSpec"

_SPEC_STEPS_POSITION = 1
_SPEC_STEPS = 100
_CHECKPOINT_STEPS = 100
_EVALUATING = ("eval", "infer", "predict", "test", "valid")
_DEEPEST_CALL = 3


class Count(NamedTuple):
    """A number of steps that the training uses: its value, what it is called, and where it is given.

    `given` is the expression, or the call that implies it (`implied`).
    """

    value: Value
    name: str
    given: Ref
    implied: bool = False


def trains_by_estimator(project: Project, program: str) -> bool:
    """Whether a file of the program trains an Estimator."""
    files = project.programs.by_entry[program].files
    return evaluates_between(project, program) or any(
        training.call.key in files for training in trainings(project)
    )


def evaluates_between(project: Project, program: str) -> bool:
    """Whether a file of the program calls ``train_and_evaluate``."""
    files = project.programs.by_entry[program].files
    return any(call.key in files for call in calls_of(project, TRAIN_AND_EVALUATE))


def saves_by_steps(project: Project, program: str) -> bool:
    """Whether the checkpoints of a program's Estimators are saved every so many steps, as far as is known."""
    files = project.programs.by_entry[program].files
    configs = [call for call in run_configs(project) if call.key in files]
    return not configs or any(True for _ in _checkpoint_steps(project, program))


def counts(project: Project, program: str, name: str) -> tuple[Count, ...]:
    """Everything in a program that the argument `name` of `init` has to agree with.

    An unknown value is among them where the program says something that cannot be told.
    """
    if trains_by_estimator(project, program):
        return tuple(_estimator_counts(project, program, name))
    if parts_in(project, program):
        return ()
    return tuple(_loop_counts(project, program, name))


# -- Estimator -----------------------------------------------------------------------------------------


def _estimator_counts(project: Project, program: str, name: str) -> Iterator[Count]:
    if name == "max_steps":
        yield from _max_steps(project, program)
    elif name == "save_steps":
        yield from _checkpoint_steps(project, program)
    elif evaluates_between(project, program):
        if name == "train_steps":
            yield from _checkpoint_steps(project, program)
        else:
            yield from _evaluation_steps(project, program)


def _max_steps(project: Project, program: str) -> Iterator[Count]:
    files = project.programs.by_entry[program].files
    passed = [
        (training.call, training_argument(project, training, "max_steps"))
        for training in trainings(project)
        if training.kind == "train"
    ]
    passed += [
        (call, passed_objects(project, call, "max_steps", _SPEC_STEPS_POSITION))
        for call in calls_of(project, TRAIN_SPEC)
    ]
    for call, given in passed:
        if call.key in files:
            yield from _given_counts(project, program, call, given, "max_steps")


def _evaluation_steps(project: Project, program: str) -> Iterator[Count]:
    files = project.programs.by_entry[program].files
    for call in calls_of(project, EVAL_SPEC):
        if call.key in files:
            given = passed_objects(project, call, "steps", _SPEC_STEPS_POSITION)
            if given.certain and not given.values:
                yield Count(constant(_SPEC_STEPS), "steps of EvalSpec", call, implied=True)
            yield from _given_counts(project, program, call, given, "steps of EvalSpec")


def _given_counts(project: Project, program: str, call: Ref, given: Passed, name: str) -> Iterator[Count]:
    if not given.certain:
        yield Count(UNKNOWN, name, call)
    for ref in given.values:
        value = evidence(project, ref, program)
        yield Count(value if value.every(is_integer) else UNKNOWN, name, ref)


def _checkpoint_steps(project: Project, program: str) -> Iterator[Count]:
    files = project.programs.by_entry[program].files
    name = "save_checkpoints_steps"
    for call in run_configs(project):
        if call.key not in files:
            continue
        steps = run_config_setting(project, call, name, program)
        if steps is None or steps.value.every(lambda value: value is None):
            if run_config_setting(project, call, "save_checkpoints_secs", program) is None:
                yield Count(constant(_CHECKPOINT_STEPS), name, call, implied=True)
        else:
            known = steps.value if steps.value.every(is_integer) else UNKNOWN
            yield Count(known, name, steps.given or call)


# -- loops around session.run --------------------------------------------------------------------------


def _loop_counts(project: Project, program: str, name: str) -> Iterator[Count]:
    loops = training_loops(project, program)
    if name == "max_steps":
        for loop in loops:
            count = turns_in_all(project, loop, program) if len(loops) == 1 else UNKNOWN
            yield Count(count, "turns of its loop", _iterable(project, loop))
    elif name == "eval_steps":
        for loop in _evaluation_loops(project, program, loops):
            count = turns(project, loop, program)
            yield Count(count, "turns of the evaluation loop", _iterable(project, loop))
    else:
        serves = _saves if name == "save_steps" else _evaluates
        what = "turns between saves" if name == "save_steps" else "turns between evaluations"
        for loop in loops:
            for guard in guards(project, loop):
                if serves(project, program, loop, guard):
                    period = evidence(project, guard.period, program)
                    yield Count(period, what, guard.period)


def _iterable(project: Project, loop: Loop) -> Ref:
    facts = cast(FileFacts, project.facts(loop.key))
    statement = facts.statements[loop.statement]
    return Ref(loop.key, statement.scope, statement.id, statement.values[0])


def _saves(project: Project, program: str, loop: Loop, guard: Guard) -> bool:
    return any(_is_save(project, call) for call in _calls_in(project, _guarded(project, loop, guard)))


def _is_save(project: Project, ref: Ref) -> bool:
    func = cast(Call, ref.expr).func
    if not isinstance(func, Attribute) or func.attr != "save":
        return False
    if any(name.endswith("Saver.save") for name in externals_called(project, ref)):
        return True
    return "saver" in (last_name(func.value) or "").lower()


def _evaluates(project: Project, program: str, loop: Loop, guard: Guard) -> bool:
    """Whether what a guard lets happen runs a session for something other than training, and says so."""
    code = _guarded(project, loop, guard)
    if any(_lies_in(other, code) for other in other_loops(project, program)):
        return True
    calls = [call for call in _calls_in(project, code) if _names_evaluation(_called_name(call))]
    reached = _called_code(project, calls, 0)
    return any((run.key, run.statement) in reached for run in other_runs(project, program))


def _evaluation_loops(project: Project, program: str, loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """The loops without a train op that run when a guard of a training loop says so, or in a function whose
    name says that it evaluates."""
    found: Code = frozenset()
    for loop in loops:
        for guard in guards(project, loop):
            if _evaluates(project, program, loop, guard):
                code = _guarded(project, loop, guard)
                calls = [call for call in _calls_in(project, code) if _names_evaluation(_called_name(call))]
                found |= code | _called_code(project, calls, 0)
    return tuple(
        loop
        for loop in other_loops(project, program)
        if _lies_in(loop, found) or _names_evaluation(_home_name(project, loop))
    )


def _names_evaluation(name: str) -> bool:
    return any(part in name.lower() for part in _EVALUATING)


def _called_name(call: Ref) -> str:
    return last_name(cast(Call, call.expr).func) or ""


def _home_name(project: Project, loop: Loop) -> str:
    facts = cast(FileFacts, project.facts(loop.key))
    return facts.scopes[code_scope(facts, facts.statements[loop.statement].scope)].name


# -- code by its statements ----------------------------------------------------------------------------

Code = frozenset[tuple[str, int]]
"""Statements, each with its file."""


def _lies_in(loop: Loop, code: Code) -> bool:
    return (loop.key, loop.statement) in code


def _guarded(project: Project, loop: Loop, guard: Guard) -> Code:
    facts = cast(FileFacts, project.facts(loop.key))
    return frozenset((loop.key, statement.id) for statement in within(facts, guard.statement))


def _calls_in(project: Project, code: Code) -> list[Ref]:
    return [
        ref_of_call(key, site)
        for key in sorted({key for key, _ in code})
        for site in cast(FileFacts, project.facts(key)).calls
        if (key, site.statement) in code
    ]


def _called_code(project: Project, calls: list[Ref], depth: int) -> Code:
    """The statements of the project functions that are called, and of those that these call."""
    found: Code = frozenset()
    for target in dict.fromkeys(target for call in calls for target in call_targets(project, call)):
        scope = scope_of(project, target).id
        facts = cast(FileFacts, project.facts(target.key))
        found |= {(target.key, statement.id) for statement in facts.statements if statement.scope == scope}
    if not found or depth == _DEEPEST_CALL:
        return found
    return found | _called_code(project, _calls_in(project, found), depth + 1)
