"""Configs that say that there are no GPUs: ``device_count={"GPU": 0}``. Their sessions are for the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, Call, Constant, Expr, Subscript
from npu_migrate.index.guards import certainly_runs
from npu_migrate.index.names import ancestors
from npu_migrate.index.stores import stored_items, stored_value
from npu_migrate.knowledge import gpu_choice, session_configs
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import Traced, ends, traced, ways
from npu_migrate.semantics.dependence import put_into
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.objects import Identity, identities
from npu_migrate.semantics.values.evaluation import evaluate


def asks_for_cpu(project: Project, config: Ref) -> bool:
    """Whether a config says that there are no GPUs: ``device_count={"GPU": 0}``."""
    if any(
        _counts_no_gpus(project, counted)
        for origin in origins(project, config)
        for counted in _counted_by(project, origin)
    ):
        return True
    meant = identities(project, config)
    return any(
        one.configs & meant and not _is_chosen(project, one.place, config) for one in _without_gpus(project)
    )


def _counted_by(project: Project, config: Ref) -> Iterator[Traced]:
    """What makes a config gives as the number of devices, as an argument or in a dictionary of arguments."""
    call = config.expr
    if not isinstance(call, Call) or not externals_called(project, config) & session_configs.CONFIG_PROTOS:
        return
    for keyword in call.keywords:
        if keyword.name in (gpu_choice.DEVICE_COUNT, None):
            given = traced(config._replace(expr=keyword.value, path=()))
            yield given if keyword.name else given._replace(keys=(gpu_choice.DEVICE_COUNT,))


def _counts_no_gpus(project: Project, counted: Traced) -> bool:
    """Whether there are no GPUs in a dictionary that is given, whichever of several it is."""
    gpus = counted._replace(keys=(*counted.keys, gpu_choice.GPU))
    put = [one for way in ways(project, gpus) for one in put_into(project, way)]
    if any(_is_chosen(project, one.ref, counted.ref) for one in put):
        return False
    found = [*put, *(one for one in ends(project, gpus) if not put or not one.keys)]
    return bool(found) and all(not one.keys and _is_zero(project, one.ref) for one in found)


def _is_zero(project: Project, ref: Ref) -> bool:
    """Whether a number of devices is 0, and that not only by default."""
    known = evaluate(project, ref)
    return not known.is_default and known.every(lambda value: value == 0)


def _is_chosen(project: Project, place: Ref, config: Ref) -> bool:
    """Whether a condition decides over what is said of a config, and not over the config itself.

    So it is behind ``if args.cpu:``, which nobody has to ask for; what a constant decides is no choice.
    """
    made = {(one.key, part) for one in origins(project, config) for part in _branches(project, one)}
    return any(
        (place.key, branch) not in made and not _is_decided(project, place.key, branch)
        for branch in _branches(project, place)
    )


def _branches(project: Project, ref: Ref) -> Iterator[tuple[int, str]]:
    """The ``if`` statements around some code, each with the part in which the code stands."""
    facts = project.facts(ref.key)
    assert facts is not None
    for number in (ref.statement, *ancestors(facts, ref.statement)):
        inner = facts.statements[number]
        if inner.parent != NOTHING and facts.statements[inner.parent].kind == "If":
            yield inner.parent, inner.block


def _is_decided(project: Project, key: str, branch: tuple[int, str]) -> bool:
    """Whether a branch is taken in every run: what it asks is known, and no default of an option."""
    facts = project.facts(key)
    assert facts is not None
    number, block = branch
    statement = facts.statements[number]
    if certainly_runs(statement.values[0], block, True):
        return True
    known = evaluate(project, Ref(key, statement.scope, number, statement.values[0]))
    return not known.is_default and known.every(lambda value: bool(value) == (block == "body"))


class _WithoutGpus(NamedTuple):
    """Configs of which it is said, at `place`, that there are no GPUs."""

    place: Ref
    configs: frozenset[Identity]


@once
def _without_gpus(project: Project) -> tuple[_WithoutGpus, ...]:
    """The configs of which ``config.device_count["GPU"] = 0`` is said."""
    return tuple(_find_without_gpus(project))


def _find_without_gpus(project: Project) -> Iterator[_WithoutGpus]:
    for key in project.files_mentioning(gpu_choice.DEVICE_COUNT):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            for target in stored_items(statement):
                config = _config_counted(target)
                given = None if config is None else stored_value(statement, target)
                if config is not None and given is not None:
                    ref = Ref(key, statement.scope, statement.id, *given)
                    if _is_zero(project, ref):
                        holder = ref._replace(expr=config, path=())
                        yield _WithoutGpus(holder, identities(project, holder))
        for site in facts.calls:
            config = _config_updated(site.call)
            ref = ref_of_call(key, site)
            if config is not None and _updates_to_none(project, ref, site.call):
                holder = ref._replace(expr=config)
                yield _WithoutGpus(holder, identities(project, holder))


def _updates_to_none(project: Project, ref: Ref, call: Call) -> bool:
    """Whether ``update`` is given a dictionary in which there are no GPUs, or says so by a keyword."""
    named = [one.value for one in call.keywords if one.name == gpu_choice.GPU]
    return any(_is_zero(project, ref._replace(expr=one)) for one in named) or any(
        _counts_no_gpus(project, traced(ref._replace(expr=one))) for one in call.args
    )


def _config_counted(target: Subscript) -> Expr | None:
    """``config`` of ``config.device_count["GPU"]``."""
    is_of_gpus = isinstance(target.item, Constant) and target.item.value == gpu_choice.GPU
    return _config_of(target.value) if is_of_gpus else None


def _config_updated(call: Call) -> Expr | None:
    """``config`` of ``config.device_count.update(…)``."""
    func = call.func
    return _config_of(func.value) if isinstance(func, Attribute) and func.attr == "update" else None


def _config_of(counted: Expr) -> Expr | None:
    """``config`` of ``config.device_count``."""
    if isinstance(counted, Attribute) and counted.attr == gpu_choice.DEVICE_COUNT:
        return counted.value
    return None
