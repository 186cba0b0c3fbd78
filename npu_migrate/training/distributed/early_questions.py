"""Questions to the collective communication that come before anything can have initialized it.

Sources: FAQ:get_rank_id_error_distributed_training, OTH:init_collective_communication.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Call, FileFacts, last_name
from npu_migrate.index.names import enclosing_function
from npu_migrate.knowledge import distributed
from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import activations, call_targets, externals_called
from npu_migrate.semantics.resolution import Definition, scope_of
from npu_migrate.semantics.statements import statements_of_scope
from npu_migrate.training.npu.configs import calls_of

_RUNNING = frozenset(
    [
        "run",
        "train",
        "train_and_evaluate",
        "fit",
        "fit_generator",
        "evaluate",
        "eval",
        "predict",
        "execute",
        "initialize_system",
        "init_resource",
        "MonitoredTrainingSession",
        "managed_session",
        "init",
        "initialize",
    ]
)
"""Last names of calls after which the communication may be there."""

_DEEPEST = 4


def early_questions(project: Project) -> Iterator[Ref]:
    """The calls that certainly come before any session runs, in programs that never start the NPU by hand."""
    for name in sorted(distributed.NEED_COMMUNICATION):
        for call in calls_of(project, name):
            near = sorted(project.neighbours(call.key))
            starts = any(project.contains(key, word) for key in near for word in distributed.STARTERS)
            if not starts and _is_first(project, call, 0):
                yield call


def _is_first(project: Project, call: Ref, depth: int) -> bool:
    """Whether nothing has run a session before a call, on every way to it."""
    facts = project.facts(call.key)
    if facts is None or depth > _DEEPEST:
        return False
    function = enclosing_function(facts, call.scope)
    if facts.statements[call.statement].scope != function or _may_have_run(project, facts, call):
        return False
    if function == 0:
        return True
    target = Definition(call.key, function)
    sites = activations(project, target)
    if not sites:
        return _is_main(project, facts, target)
    return all(_is_first(project, site, depth + 1) for site in sites)


def _may_have_run(project: Project, facts: FileFacts, call: Ref) -> bool:
    for statement in statements_of_scope(project, facts, facts.statements[call.statement].scope):
        if statement.id > call.statement:
            return False
        for site in project.sites(facts.key, statement.id).values():
            if isinstance(site.expr, Call) and site.expr is not call.expr:
                ref = project.ref_of(facts.key, site)
                if statement.id < call.statement and _may_run(project, ref, 0):
                    return True
    return False


def _may_run(project: Project, call: Ref, depth: int) -> bool:
    """Whether a call runs a session, itself or by the functions of the project that it calls."""
    assert isinstance(call.expr, Call)
    if last_name(call.expr.func) in _RUNNING:
        return True
    for target in call_targets(project, call):
        facts = project.facts(target.key)
        if facts is None or depth >= _DEEPEST:
            return True
        for site in facts.calls:
            inner = ref_of_call(target.key, site)
            is_inside = enclosing_function(facts, site.scope) == target.scope
            if is_inside and _may_run(project, inner, depth + 1):
                return True
    return False


def _is_main(project: Project, facts: FileFacts, target: Definition) -> bool:
    """Whether a function that nobody calls is the one that ``tf.app.run`` starts."""
    name = scope_of(project, target).name
    for key, site in project.calls_named("run"):
        ref = ref_of_call(key, site)
        if key == facts.key and externals_called(project, ref) & APP_RUNS:
            given = [
                last_name(value) for value in (*site.call.args, *(one.value for one in site.call.keywords))
            ]
            return name in given or (name == "main" and not given)
    return False
