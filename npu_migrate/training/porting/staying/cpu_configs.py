"""Configs that say that there are no GPUs: ``device_count={"GPU": 0}``. Their sessions are for the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Mapping, Subscript, argument
from npu_migrate.knowledge import gpu_choice, session_configs
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.values.evaluation import evaluate


def asks_for_cpu(project: Project, config: Ref) -> bool:
    """Whether a config says that there are no GPUs: ``device_count={"GPU": 0}``."""
    for origin in origins(project, config):
        call = origin.expr
        if isinstance(call, Call) and externals_called(project, origin) & session_configs.CONFIG_PROTOS:
            given = argument(call, gpu_choice.DEVICE_COUNT)
            if given is not None and any(
                _counts_no_gpus(project, counted) for counted in origins(project, origin._replace(expr=given))
            ):
                return True
    meant = identities(project, config)
    return any(holders & meant for holders in _without_gpus(project))


def _counts_no_gpus(project: Project, ref: Ref) -> bool:
    if not isinstance(ref.expr, Mapping):
        return False
    return any(
        isinstance(key, Constant)
        and key.value == gpu_choice.GPU
        and _is_zero(project, ref._replace(expr=value))
        for key, value in zip(ref.expr.keys, ref.expr.values, strict=True)
    )


def _is_zero(project: Project, ref: Ref) -> bool:
    """Whether a number of devices is 0, and that not only by default."""
    known = evaluate(project, ref)
    return not known.is_default and known.every(lambda value: value == 0)


@once
def _without_gpus(project: Project) -> tuple[frozenset[tuple[object, tuple[object, ...]]], ...]:
    """The configs of which ``config.device_count["GPU"] = 0`` is said."""
    return tuple(_find_without_gpus(project))


def _find_without_gpus(project: Project) -> Iterator[frozenset[tuple[object, tuple[object, ...]]]]:
    for key in project.files_mentioning(gpu_choice.DEVICE_COUNT):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            for target in statement.targets:
                config = _config_counted(target)
                if config is not None and statement.values:
                    ref = Ref(key, statement.scope, statement.id, statement.values[0])
                    if _is_zero(project, ref):
                        yield identities(project, ref._replace(expr=config))


def _config_counted(target: Expr | None) -> Expr | None:
    """``config`` of ``config.device_count["GPU"]``."""
    if not isinstance(target, Subscript) or not isinstance(target.item, Constant):
        return None
    counted = target.value
    if target.item.value != gpu_choice.GPU or not isinstance(counted, Attribute):
        return None
    return counted.value if counted.attr == gpu_choice.DEVICE_COUNT else None
