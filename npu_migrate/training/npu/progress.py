"""How the runtime learns how far training has come: from hooks, or from environment variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import NOTHING, Attribute, Call, Constant, FileFacts, Mapping, Subscript
from npu_migrate.knowledge.acceleration import VARIABLES, Trigger
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import Passed, passed_objects
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.flow import is_partial, named_definitions, origins
from npu_migrate.semantics.objects import outside_name
from npu_migrate.semantics.resolution import Definition, external_names
from npu_migrate.training.npu.hooks import HookList, hooks_in
from npu_migrate.training.npu.trainings import Training, model_functions, training_argument

_SPEC_HOOKS = {"training_chief_hooks": 6, "training_hooks": 7}
_ENVIRONMENT = "os.environ"


class _Spec(NamedTuple):
    """An ``EstimatorSpec`` with hooks of its own, or a ``spec._replace(training_hooks=…)``."""

    call: Ref
    hooks: HookList


def hooks_of_training(project: Project, training: Training) -> HookList:
    """All hooks that a training call runs with: its own, and those of the model functions' EstimatorSpecs."""
    lists = [_read(project, training_argument(project, training, "hooks"))]
    functions = [
        list(_functions(project, model_fn))
        for estimator in training.estimators
        for model_fn in model_functions(project, estimator) or (None,)
    ]
    programs = set(project.programs_of(training.call.key))
    for spec in _specs_with_hooks(project):
        near = not programs.isdisjoint(project.programs_of(spec.call.key))
        if near and any(_may_make(project, some, spec.call) for some in functions):
            lists.append(spec.hooks)
    return _merged(lists)


def hooks_of_session(project: Project, session: Ref) -> HookList:
    """All hooks of a ``MonitoredTrainingSession`` call."""
    given = [
        passed_objects(project, session, name, position)
        for name, position in (("hooks", 4), ("chief_only_hooks", 5))
    ]
    return _merged([_read(project, passed) for passed in given])


def _read(project: Project, passed: Passed) -> HookList:
    found = hooks_in(project, passed.values)
    return found._replace(complete=found.complete and passed.certain)


def _merged(lists: list[HookList]) -> HookList:
    return HookList(
        tuple(hook for found in lists for hook in found.hooks),
        tuple(hook for found in lists for hook in found.discarded),
        all(found.complete for found in lists),
    )


# -- EstimatorSpecs ------------------------------------------------------------------------------------


@once
def _specs_with_hooks(project: Project) -> tuple[_Spec, ...]:
    return tuple(_find_specs(project))


def _find_specs(project: Project) -> Iterator[_Spec]:
    for facts in project.relevant():
        for site in facts.calls:
            named = any(keyword.name in _SPEC_HOOKS for keyword in site.call.keywords)
            if not named and len(site.call.args) <= min(_SPEC_HOOKS.values()):
                continue
            ref = ref_of_call(facts.key, site)
            is_spec = any(
                name.endswith("EstimatorSpec")
                for name in external_names(project, ref.key, ref.scope, site.call.func)
            )
            if named or is_spec:
                positions = _SPEC_HOOKS if is_spec else dict.fromkeys(_SPEC_HOOKS)
                given = [passed_objects(project, ref, name, at) for name, at in positions.items()]
                yield _Spec(ref, _merged([_read(project, passed) for passed in given]))


def _functions(project: Project, model_fn: Ref | None) -> Iterator[Definition]:
    """The functions of the project that a ``model_fn`` may be, through ``functools.partial``."""
    if model_fn is None:
        return
    call = model_fn.expr
    if isinstance(call, Call) and is_partial(project, model_fn) and call.args:
        for origin in origins(project, model_fn._replace(expr=call.args[0])):
            yield from named_definitions(project, origin)
    elif not isinstance(call, Call):
        yield from named_definitions(project, model_fn)


def _may_make(project: Project, functions: list[Definition], spec: Ref) -> bool:
    """Whether one of the model functions makes the spec; any function may if none is in view."""
    return not functions or any(_makes(project, function, spec) for function in functions)


def _makes(project: Project, function: Definition, spec: Ref) -> bool:
    if spec.key == function.key:
        facts = cast(FileFacts, project.facts(spec.key))
        scope = spec.scope
        while scope != NOTHING:
            if scope == function.scope:
                return True
            scope = facts.scopes[scope].parent
    return any(
        origin.expr is spec.expr
        for value in returned_values(project, function)
        for origin in origins(project, value)
    )


# -- the environment -----------------------------------------------------------------------------------


def environment_tells(project: Project, program: str, trigger: Trigger) -> bool:
    """Whether the files of a program set both environment variables that a trigger needs."""
    return set(VARIABLES[trigger]) <= _variables_set(project, program)


@once
def _variables_set(project: Project, program: str) -> frozenset[str]:
    files = project.programs.by_entry[program].files
    return frozenset(
        name for facts in project.relevant() if facts.key in files for name in _set_in(project, facts)
    )


def _set_in(project: Project, facts: FileFacts) -> Iterator[str]:
    wanted = {name for names in VARIABLES.values() for name in names}
    for statement in facts.statements:
        for target in statement.targets:
            if isinstance(target, Subscript) and isinstance(target.item, Constant):
                receiver = Ref(facts.key, statement.scope, statement.id, target.value)
                if target.item.value in wanted and outside_name(project, receiver) == _ENVIRONMENT:
                    yield target.item.value
    for site in facts.calls:
        func = site.call.func
        if isinstance(func, Attribute) and func.attr in ("putenv", "setdefault", "update") and site.call.args:
            first = site.call.args[0]
            for name in first.keys if isinstance(first, Mapping) else (first,):
                if isinstance(name, Constant) and name.value in wanted:
                    yield name.value
