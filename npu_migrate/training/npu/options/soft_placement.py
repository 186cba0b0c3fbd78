"""Whether configs let TensorFlow place an operation elsewhere than the program says, and who needs that."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, Conditional, Constant, Expr, Lambda, argument, children
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.objects import Identity, identities
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import UNKNOWN, Value, constant, join
from npu_migrate.training.npu.configs import calls_of

OPTION = "allow_soft_placement"

_FILLING = frozenset({"CopyFrom", "MergeFrom", "ParseFromString"})
_DEVICE = "tensorflow.device"
_DEVICE_FUNCTIONS = frozenset({"tensorflow.train.replica_device_setter"})


@once
def accelerator_devices(project: Project) -> tuple[Ref, ...]:
    """The calls of ``tf.device`` that name a GPU for certain, or get a function."""
    return tuple(call for call in calls_of(project, _DEVICE) if _names_accelerator(project, call))


def _names_accelerator(project: Project, call: Ref) -> bool:
    assert isinstance(call.expr, Call)
    expr = argument(call.expr, "device_name_or_function", 0)
    if expr is None:
        return False
    given = call._replace(expr=expr)
    if isinstance(expr, Lambda):
        return True
    value = evaluate(project, given)
    if value.is_known:
        return value.every(_is_gpu) and not value.is_default
    made = origins(project, given)
    return bool(made) and all(_is_made_so(project, one) for one in made)


def _is_made_so(project: Project, made: Ref) -> bool:
    if isinstance(made.expr, Call) and externals_called(project, made) & _DEVICE_FUNCTIONS:
        return True
    return any(_is_gpu(text) for text in _texts(made.expr))


def _is_gpu(value: object) -> bool:
    return isinstance(value, str) and "gpu" in value.lower()


def _texts(expr: Expr) -> Iterator[object]:
    """The literals that a text is surely put together from."""
    if isinstance(expr, Constant):
        yield expr.value
    if not isinstance(expr, (Conditional, Call)) or (
        isinstance(expr, Call) and isinstance(expr.func, Attribute) and expr.func.attr == "format"
    ):
        for part in children(expr.func if isinstance(expr, Call) else expr):
            yield from _texts(part)


def soft_placement(project: Project, config: Ref) -> Value:
    """The value of ``allow_soft_placement`` in the config that a call makes; unknown if it cannot be told."""
    call = config.expr
    if not isinstance(call, Call) or tf.CONFIG_PROTO not in externals_called(project, config):
        return UNKNOWN
    if any(keyword.name is None for keyword in call.keywords) or _is_filled(project, config):
        return UNKNOWN
    given = argument(call, OPTION)
    first = constant(False) if given is None else evaluate(project, config._replace(expr=given))
    stored = _stored(project, identities(project, config), project.neighbours(config.key))
    return join((first, *stored)) if stored else first


def _is_filled(project: Project, config: Ref) -> bool:
    """Whether a config becomes a copy of another one."""
    return any(use.kind == "attribute" and use.name in _FILLING for use in uses(project, config))


def says_soft_placement(project: Project, config: Ref) -> bool:
    """Whether the script decides by itself about soft placement of the config that a call makes."""
    assert isinstance(config.expr, Call)
    if argument(config.expr, OPTION) is not None:
        return True
    for use in uses(project, config):
        if use.kind == "attribute" and use.name == OPTION:
            site = project.site(use.ref)
            if site is not None and site.stored:
                return True
    return False


def is_set_later(project: Project, config: Ref) -> bool:
    """Whether something stores a value in the option of a config that has been made."""
    return bool(_stored(project, identities(project, config), project.neighbours(config.key)))


def _stored(project: Project, config: frozenset[Identity], files: frozenset[str]) -> list[Value]:
    """What is stored in the option of a config later."""
    found = []
    for key in project.files_mentioning(OPTION):
        facts = project.facts(key)
        assert facts is not None
        for site in project.attributes(key, OPTION) if key in files else ():
            if site.stored and isinstance(site.expr, Attribute):
                statement = facts.statements[site.statement]
                owner = Ref(key, site.scope, site.statement, site.expr.value)
                if identities(project, owner) & config and statement.kind == "Assign":
                    value = Ref(key, statement.scope, statement.id, statement.values[0])
                    found.append(evaluate(project, value))
    return found
