"""How many steps a training makes, and which tensor counts them, as code that can be written elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.index.facts import (
    Call,
    Constant,
    FileFacts,
    Name,
    argument,
    last_name,
    walk,
)
from npu_migrate.index.names import ancestors, lookup, spelled
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.calls.signatures import starred_dictionary
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.repeatable import is_repeatable
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.literals import code_on_one_line
from npu_migrate.semantics.values.value import constant
from npu_migrate.training.npu.hooks import HookList
from npu_migrate.training.npu.trainings import Steps, Training, runs_repeatedly, steps_of, training_argument

GLOBAL_STEP = "global_step:0"

_STOP_HOOK = "tensorflow.train.StopAtStepHook"
STEP_GETTERS = frozenset(
    {
        "tensorflow.train.get_global_step",
        "tensorflow.train.get_or_create_global_step",
        "tensorflow.train.create_global_step",
        "tensorflow.contrib.framework.get_global_step",
        "tensorflow.contrib.framework.get_or_create_global_step",
        "tensorflow.contrib.framework.create_global_step",
    }
)
_VARIABLES = {"tensorflow.Variable": 5, "tensorflow.get_variable": 0}
"""What makes a variable, with the position of its name."""

_STEP_USERS = {"minimize": 1, "apply_gradients": 1, "optimize_loss": 1, "create_train_op": 2}
"""Functions that advance the global step, with the position of their ``global_step``."""


# -- the total -----------------------------------------------------------------------------------------


def total_of_training(project: Project, training: Training) -> Steps | None:
    """The steps of a training call, if they are the total: not those of one round of a loop."""
    steps = steps_of(project, training)
    if steps is None or (steps.counted and runs_repeatedly(project, training.call)):
        return None
    return steps


def total_of_session(project: Project, hooks: HookList) -> Ref | None:
    """The last step of the ``StopAtStepHook`` among some hooks; None if there is no single one."""
    found = [
        value
        for hook in hooks.hooks
        if _STOP_HOOK in externals_called(project, hook)
        for value in passed_objects(project, hook, "last_step", 1).values
    ]
    return found[0] if len(found) == 1 else None


def total_code(project: Project, training: Training, steps: Steps) -> str | None:
    """Code for the total that means the same in the training call; None if there is none."""
    name = "steps" if steps.counted else "max_steps"
    if training_argument(project, training, name).direct:
        return code_for(project, steps.given, training.call)
    dictionary = starred_dictionary(training.call)
    text = spelled(dictionary.expr) if dictionary is not None else None
    if text is not None and dictionary is not None and not is_repeatable(project, dictionary):
        return None
    return code_for(project, steps.given, training.call) if text is None else f'{text}["{name}"]'


def code_for(project: Project, value: Ref, place: Ref) -> str | None:
    """Code that gives, at `place`, the value of the expression `value`; None if that cannot be promised.

    The expression may be evaluated once more: it calls nothing that may have effects, and its names mean
    the same at both places.
    """
    expr = value.expr
    if isinstance(expr, Constant) and isinstance(expr.value, (int, float)):
        return repr(expr.value)
    if value.key != place.key or not is_repeatable(project, value):
        return None
    facts = cast(FileFacts, project.facts(value.key))
    for part in walk(expr):
        if isinstance(part, Name):
            here, there = lookup(facts, value.scope, part.id), lookup(facts, place.scope, part.id)
            if (here is None) != (there is None) or (here and there and here.scope != there.scope):
                return None
    return code_on_one_line(project, value)


# -- the tensor that counts ----------------------------------------------------------------------------


def step_tensor(project: Project, key: str) -> str | None:
    """The name of the step tensor in the programs of file `key`; None if their own step has no such name."""
    names = {name for step in _steps_advanced(project, key) for name in _tensor_names(project, step)}
    if not names:
        return GLOBAL_STEP
    return names.pop() if len(names) == 1 else None


def _steps_advanced(project: Project, key: str) -> Iterator[Ref]:
    files = project.neighbours(key)
    for method, position in _STEP_USERS.items():
        for file, site in project.calls_named(method):
            given = argument(site.call, "global_step", position) if file in files else None
            if given is not None:
                yield Ref(file, site.scope, site.statement, given)


def _tensor_names(project: Project, step: Ref) -> Iterator[str | None]:
    """The names of the tensors that a global step may be; nothing for what cannot be followed."""
    for origin in origins(project, step):
        if not isinstance(origin.expr, Call):
            continue
        names = externals_called(project, origin)
        if names & STEP_GETTERS:
            yield GLOBAL_STEP
        for maker, position in _VARIABLES.items():
            if maker in names:
                yield _variable_name(project, origin, position)


def _variable_name(project: Project, made: Ref, position: int) -> str | None:
    given = argument(cast(Call, made.expr), "name", position)
    value = constant("Variable") if given is None else evaluate(project, made._replace(expr=given))
    if value.only is None or not isinstance(value.only.constant, str) or _is_in_scope(project, made):
        return None
    return f"{value.only.constant}:0" if given is not None else None


def _is_in_scope(project: Project, ref: Ref) -> bool:
    """Whether a ``with`` around `ref` may put something in front of the names of variables."""
    facts = cast(FileFacts, project.facts(ref.key))
    return any(
        (last_name(value.func) or "").endswith("scope")
        for number in (ref.statement, *ancestors(facts, ref.statement))
        if facts.statements[number].kind == "With"
        for value in facts.statements[number].values
        if isinstance(value, Call)
    )
