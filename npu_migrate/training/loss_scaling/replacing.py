"""Replacing TensorFlow's loss scaling by npu_bridge's: what changes at each call, and what goes together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.index.facts import Call, Constant, Expr, FileFacts, ImportTarget, Name, argument
from npu_migrate.index.names import lookup
from npu_migrate.intents import AddImport, Intent, Rename, ReplaceExpression, SetArgument
from npu_migrate.knowledge import loss_scale, npu
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.signatures import has_star
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.resolution import External, Module, attribute_symbols, external_names
from npu_migrate.semantics.uses import uses
from npu_migrate.training.loss_scaling.hoisting_plan import plan_hoist
from npu_migrate.training.npu.configs import calls_of

_EXPONENTIAL = loss_scale.EXPONENTIAL.rpartition(".")[2]
_FIXED = loss_scale.FIXED.rpartition(".")[2]
_OPTIMIZER = loss_scale.OPTIMIZER.rpartition(".")[2]

PORTED: Mapping[str, str] = MappingProxyType(
    {
        loss_scale.CONTRIB_EXPONENTIAL: _EXPONENTIAL,
        loss_scale.CONTRIB_FIXED: _FIXED,
        loss_scale.CONTRIB_OPTIMIZER: _OPTIMIZER,
        loss_scale.DYNAMIC_SCALE: _EXPONENTIAL,
        loss_scale.FIXED_SCALE: _FIXED,
        loss_scale.SCALE_OPTIMIZER: _OPTIMIZER,
    }
)
"""npu_bridge's class for each of TensorFlow's (facts of DOC-MIXP and the vendor's converter)."""

_KEYWORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        loss_scale.FIXED_SCALE: {"loss_scale_value": "loss_scale"},
        loss_scale.DYNAMIC_SCALE: {
            "initial_loss_scale": "init_loss_scale",
            "increment_period": "incr_every_n_steps",
            "multiplier": "incr_ratio",
        },
        loss_scale.SCALE_OPTIMIZER: {"loss_scale": "loss_scale_manager"},
    }
)
_SCALES = (loss_scale.DYNAMIC_SCALE, loss_scale.FIXED_SCALE)
_PAIRS: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {
        loss_scale.CONTRIB_OPTIMIZER: (
            (loss_scale.CONTRIB_EXPONENTIAL, loss_scale.CONTRIB_FIXED),
            "loss_scale_manager",
        ),
        loss_scale.SCALE_OPTIMIZER: (_SCALES, "loss_scale"),
    }
)
"""TensorFlow's optimizers, what each of them gets the scale from, and the parameter for that."""

_DYNAMIC_DEFAULTS = (("init_loss_scale", "2 ** 15"), ("incr_every_n_steps", "2000"))
_MULTIPLIER = 2
_ALIAS = "Npu{name}"
_PACKAGE = "npu_bridge"


def plan_port(project: Project, name: str, call: Ref) -> tuple[Intent, ...]:
    """What ports the call of TensorFlow's `name`, and all calls that only work together with it.

    Empty where one of them cannot be ported, or is about to be moved by a safe fix: then they are ported
    where they stand afterwards.
    """
    found: list[Intent] = []
    for other, ref in _together(project, name, call):
        is_moving = other == loss_scale.CONTRIB_EXPONENTIAL and plan_hoist(project, ref, PORTED[other])
        intents = () if is_moving else _port(project, other, ref)
        if not intents:
            return ()
        found.extend(intents)
    return tuple(dict.fromkeys(found))


# -- what goes together --------------------------------------------------------------------------------


def _together(project: Project, name: str, call: Ref) -> list[tuple[str, Ref]]:
    """The calls that have to be ported together: an optimizer and the managers or scales that reach it."""
    found = {id(call.expr): (name, call)}
    waiting = [(name, call)]
    while waiting:
        for kind, ref in _partners(project, *waiting.pop()):
            if id(ref.expr) not in found:
                found[id(ref.expr)] = (kind, ref)
                waiting.append((kind, ref))
    return list(found.values())


def _partners(project: Project, name: str, call: Ref) -> Iterator[tuple[str, Ref]]:
    for optimizer, (scales, parameter) in _PAIRS.items():
        if name == optimizer:
            given = _scale_of(call, parameter)
            if given is not None:
                made = origins(project, given)
                yield from ((kind, ref) for ref in made if (kind := _scale_kind(project, ref, scales)))
        elif name in scales:
            optimizers = {id(ref.expr) for ref in calls_of(project, optimizer)}
            for use in uses(project, call):
                if id(use.ref.expr) in optimizers:
                    yield optimizer, use.ref


def _scale_of(optimizer: Ref, parameter: str) -> Ref | None:
    assert isinstance(optimizer.expr, Call)
    given = argument(optimizer.expr, parameter, 1)
    return None if given is None else optimizer._replace(expr=given)


def _scale_kind(project: Project, ref: Ref, kinds: tuple[str, ...]) -> str:
    for name in kinds:
        if any(call.expr is ref.expr for call in calls_of(project, name)):
            return name
    return ""


# -- one call ------------------------------------------------------------------------------------------


def _port(project: Project, name: str, call: Ref) -> tuple[Intent, ...]:
    """What ports one call; empty if that cannot be done."""
    facts = project.facts(call.key)
    assert facts is not None and isinstance(call.expr, Call)
    new = PORTED.get(name)
    if new is None or has_star(call) or any(keyword.name is None for keyword in call.expr.keywords):
        return ()
    spelling = _spelling_of(project, facts, call, new)
    changes = _changes(project, name, call)
    if spelling is None or changes is None:
        return ()
    return (
        ReplaceExpression(Place(call.key, call.expr.func.span), spelling.name),
        *_renames(name, call),
        *changes,
        *spelling.imports,
    )


def _renames(name: str, call: Ref) -> Iterator[Rename]:
    assert isinstance(call.expr, Call)
    for keyword in call.expr.keywords:
        new = _KEYWORDS.get(name, {}).get(keyword.name or "")
        if new is not None and keyword.name is not None:
            yield Rename(Place(call.key, keyword.span), keyword.name, new)


def _changes(project: Project, name: str, call: Ref) -> tuple[Intent, ...] | None:
    """What else changes at a call; None if the call cannot be ported."""
    if name == loss_scale.DYNAMIC_SCALE:
        return _dynamic_scale(call)
    if name == loss_scale.FIXED_SCALE:
        return () if _is_only_scale(project, call) else None
    if name == loss_scale.SCALE_OPTIMIZER:
        return _scale_argument(project, call)
    return ()


def _is_only_scale(project: Project, call: Ref) -> bool:
    """Whether a scale goes into optimizers only, which are ported with it."""
    optimizers = {id(ref.expr) for ref in calls_of(project, loss_scale.SCALE_OPTIMIZER)}
    return all(id(use.ref.expr) in optimizers for use in uses(project, call))


def _dynamic_scale(call: Ref) -> tuple[Intent, ...] | None:
    """The manager multiplies by `decr_ratio` where the scale was divided by its multiplier, each time."""
    assert isinstance(call.expr, Call)
    multiplier = argument(call.expr, "multiplier")
    if len(call.expr.args) > len(_DYNAMIC_DEFAULTS):
        return None
    factor = _MULTIPLIER if multiplier is None else getattr(multiplier, "value", None)
    if not isinstance(factor, (int, float)) or not factor:
        return None
    changes: list[Intent] = [
        SetArgument(call.place, keyword, value)
        for position, (keyword, value) in enumerate(_DYNAMIC_DEFAULTS)
        if position >= len(call.expr.args) and not _passes(call.expr, keyword)
    ]
    changes.append(SetArgument(call.place, "decr_every_n_nan_or_inf", "1"))
    changes.append(SetArgument(call.place, "decr_ratio", repr(1 / factor)))
    return tuple(changes)


def _passes(call: Call, keyword: str) -> bool:
    names = _KEYWORDS[loss_scale.DYNAMIC_SCALE]
    return any(names.get(item.name or "") == keyword for item in call.keywords)


def _scale_argument(project: Project, call: Ref) -> tuple[Intent, ...] | None:
    """The scale of an optimizer: a scale object is ported with it, ``'dynamic'`` and a number become one."""
    given = _scale_of(call, "loss_scale")
    if given is None:
        return None
    manager = _manager_for(given.expr)
    if manager is None:
        return () if all(_scale_kind(project, ref, _SCALES) for ref in origins(project, given)) else None
    facts = project.facts(call.key)
    assert facts is not None
    spelling = _spelling_of(project, facts, call, manager.name)
    if spelling is None:
        return None
    code = f"{spelling.name}({manager.arguments})"
    return (ReplaceExpression(given.place, code), *spelling.imports)


class _Manager(NamedTuple):
    """A manager that takes the place of a scale: its class and its arguments."""

    name: str
    arguments: str


def _manager_for(scale: Expr) -> _Manager | None:
    if not isinstance(scale, Constant):
        return None
    if scale.value == "dynamic":
        arguments = ", ".join(f"{keyword}={value}" for keyword, value in _DYNAMIC_DEFAULTS)
        reaction = f"decr_every_n_nan_or_inf=1, decr_ratio={1 / _MULTIPLIER!r}"
        return _Manager(_EXPONENTIAL, f"{arguments}, {reaction}")
    if isinstance(scale.value, (int, float)) and not isinstance(scale.value, bool):
        return _Manager(_FIXED, repr(scale.value))
    return None


# -- names ---------------------------------------------------------------------------------------------


class _Spelling(NamedTuple):
    """How a file can name a class of npu_bridge, and what imports it, if it has to be imported."""

    name: str
    imports: tuple[AddImport, ...] = ()


def _spelling_of(project: Project, facts: FileFacts, call: Ref, name: str) -> _Spelling | None:
    """The class by its own name, or by another one where TensorFlow's class has that; None if both are taken.

    A file that imports npu_bridge inside functions only does so for a reason: it gets no import of its own.
    """
    wanted = npu.canonical(f"{npu.NPU_INIT}.{name}")
    for spelling in (name, _ALIAS.format(name=name)):
        found = lookup(facts, call.scope, spelling)
        if found is not None and found.scope != 0:
            read = Name(spelling, call.expr.span)
            if external_names(project, call.key, call.scope, read) == {wanted}:
                return _Spelling(spelling)
            continue
        meant = set(attribute_symbols(project, Module(facts.key), spelling))
        if meant == {External(wanted)}:
            return _Spelling(spelling)
        if found is None and not meant and not _imports_inside_only(facts):
            code = f"import {name}" if spelling == name else f"import {name} as {spelling}"
            return _Spelling(spelling, (AddImport(facts.key, f"from {npu.NPU_INIT} {code}"),))
    return None


def _imports_inside_only(facts: FileFacts) -> bool:
    """Whether a file imports npu_bridge, but never where the whole module runs."""
    scopes = [
        scope.id
        for scope, _, binding in facts.bindings()
        if binding.target is not None and _is_npu(binding.target)
    ]
    scopes += [scope.id for scope in facts.scopes for star in scope.stars if _is_npu(star)]
    return bool(scopes) and 0 not in scopes


def _is_npu(target: ImportTarget) -> bool:
    return target.level == 0 and target.module.partition(".")[0] == _PACKAGE
