"""Whether a config has the NpuOptimizer entry already, by whatever way it got there."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, Name, Subscript, last_name
from npu_migrate.index.keys import ANY
from npu_migrate.index.names import lookup
from npu_migrate.knowledge import session_configs
from npu_migrate.project.once import once, once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.looked_up_calls import held_functions
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.contexts import Traced, back, traced
from npu_migrate.semantics.flow import call_targets, externals_called, origins
from npu_migrate.semantics.inheritance import overriding_methods
from npu_migrate.semantics.objects import Identity, identities
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.config_reach import config_objects
from npu_migrate.training.npu.configs import (
    CONFIG_LEVELS,
    custom_optimizers,
    entries,
    helper_calls,
    run_configs,
)
from npu_migrate.training.npu.options.entry_names import misnamed
from npu_migrate.training.porting.staying.other_devices import runs_on_another_device

_LONGEST_WALK = 80
"""How many steps are looked at for a choice among configs: they are taken one inside the other."""

_COPYING = frozenset({"CopyFrom", "MergeFrom"})
_FILLING = frozenset({*_COPYING, "extend", "append"})
_AS_TEXT = "SerializeToString"
_MAKING_COPIES = frozenset({*_COPYING, "copy", "deepcopy"})


def has_entry(project: Project, config: Ref) -> bool:
    """Whether each config that `config` may be has the entry, or gets it from a helper of npu_bridge.

    One that somebody fills with another config that has it counts, too. Beside one that has it, those that
    the program makes for other devices need none.
    """
    found = origins(project, config)
    lacking = [origin for origin in found if not _has_entry(project, origin)]
    return len(lacking) < len(found) and all(runs_on_another_device(project, origin) for origin in lacking)


@once_in_cycles(False)  # what a config gets from itself
def _has_entry(project: Project, origin: Ref) -> bool:
    objects = config_objects(project, origin)
    configured = _configured(project)
    if objects & configured:
        return True
    return any(
        config_objects(project, copied) & configured for copied in _copied_into(project, origin)
    ) or any(_may_bring_entry(project, part) for part in _parts_copied_into(project, origin))


def _may_bring_entry(project: Project, part: Ref) -> bool:
    """Whether a part of a config, such as its ``graph_options``, is not seen to lack an entry."""
    while isinstance(part.expr, Attribute) and part.expr.attr in CONFIG_LEVELS:
        part = part._replace(expr=part.expr.value)
    made = origins(project, part)
    return not all(is_config_proto(project, one) for one in made) or any(
        _has_entry(project, one) for one in made
    )


@once
def _configured(project: Project) -> frozenset[Identity]:
    """The configs that have an entry, if only under a name that NPU608 mends, and what npu_bridge's helpers
    give. An entry that is filled as a whole may be one, too."""
    found: set[Identity] = set()
    filled = (one.entry for one in custom_optimizers(project) if _copied_into(project, one.entry.added))
    for entry in (*entries(project), *(one.entry for one in misnamed(project)), *filled):
        found |= entry.configs
    for call in (*helper_calls(project), *run_configs(project)):
        found |= identities(project, call)
    return frozenset(found)


def _copied_into(project: Project, made: Ref) -> list[Ref]:
    """What is copied into the config that is made at `made`, with ``CopyFrom`` and the like."""
    found = []
    for use in uses(project, made) if isinstance(made.expr, Call) else ():
        if use.kind == "attribute" and use.name in _COPYING:
            call = project.parent_ref(use.ref)
            if call is not None and isinstance(call.expr, Call) and call.expr.args:
                found.append(call._replace(expr=call.expr.args[0]))
    return found


def _parts_copied_into(project: Project, made: Ref, depth: int = 0) -> Iterator[Ref]:
    """What is copied into the ``graph_options`` of a config, and what is in them down to the entries."""
    for use in uses(project, made) if depth or isinstance(made.expr, Call) else ():
        if use.kind != "attribute":
            continue
        if use.name in CONFIG_LEVELS and depth < len(CONFIG_LEVELS):
            yield from _parts_copied_into(project, use.ref, depth + 1)
        call = project.parent_ref(use.ref) if depth and use.name in _FILLING else None
        if call is not None and isinstance(call.expr, Call) and call.expr.args:
            yield call._replace(expr=call.expr.args[0])


@once
def may_choose_entry(project: Project, config: Ref) -> bool:
    """Whether a program itself chooses between a config with the entry and others: by a flag, out of a
    dictionary, with a function that it looks up. Of a parameter each caller has to choose for itself.
    """
    return bool(files_with_entries(project)) and _may_choose(project, traced(config), {})


def _may_choose(project: Project, config: Traced, known: dict[object, bool]) -> bool:
    mark = config.mark
    if mark not in known:
        known[mark] = False  # what a config in a circle adds to itself
        known[mark] = len(known) <= _LONGEST_WALK and _is_choice(project, config, known)
    return known[mark]


def _is_choice(project: Project, config: Traced, known: dict[object, bool]) -> bool:
    if any(_may_choose(project, one, known) for one in _given_by_overrides(project, config)):
        return True
    step = back(project, config)
    if step is not None and step.found:
        chosen = (_may_choose(project, one, known) for one in step.found)
        return all(chosen) if _is_parameter(project, config.ref) else any(chosen)
    if not config.keys and _has_entry(project, config.ref):
        return True
    given = tuple(_given_by_the_unnamed(project, config))
    if not given:
        return isinstance(config.ref.expr, Call) and isinstance(config.ref.expr.func, (Subscript, Call))
    return any(_may_choose(project, one, known) for one in given)


def _given_by_overrides(project: Project, made: Traced) -> Iterator[Traced]:
    """What a method gives in the subclasses that have their own."""
    call = made.ref.expr
    for target in call_targets(project, made.ref) if isinstance(call, Call) else ():
        for override in overriding_methods(project, target):
            for value in returned_values(project, override):
                yield traced(value)._replace(keys=(*value.path, *made.keys))


def _given_by_the_unnamed(project: Project, made: Traced) -> Iterator[Traced]:
    """What a call may give whose function no name stands for: ``CONFIGS[kind]()``, ``configs.get(kind)``."""
    call = made.ref.expr
    if not isinstance(call, Call) or call_targets(project, made.ref):
        return
    if isinstance(call.func, Attribute) and call.func.attr == "get":
        yield made.at(call.func.value)._replace(keys=(ANY, *made.keys))
        for default in call.args[1:]:
            yield made.at(default)._replace(keys=made.keys)
    for function in held_functions(project, made.at(call.func)):
        for value in returned_values(project, function):
            yield traced(value)._replace(keys=(*value.path, *made.keys))


def _is_parameter(project: Project, ref: Ref) -> bool:
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, ref.expr.id) if isinstance(ref.expr, Name) else None
    return found is not None and any(binding.kind == "param" for binding in found.bindings)


def is_config_proto(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a call that makes a ``ConfigProto``."""
    return not ref.path and bool(externals_called(project, ref) & session_configs.CONFIG_PROTOS)


def is_copied(project: Project, made: Ref) -> bool:
    """Whether another config is made from the one at `made`: by ``CopyFrom``, by ``deepcopy``, as text."""
    return any(
        (use.kind == "attribute" and use.name == _AS_TEXT)
        or (
            use.kind == "argument"
            and isinstance(use.ref.expr, Call)
            and last_name(use.ref.expr.func) in _MAKING_COPIES
        )
        for use in uses(project, made)
    )


def is_overwritten(project: Project, made: Ref) -> bool:
    """Whether code replaces what a config says, wholly or in the part where the entry would be."""
    for use in uses(project, made):
        if use.kind != "attribute":
            continue
        if use.name in _OVERWRITING or (use.name in _PARTS and _part_is_overwritten(project, use.ref)):
            return True
    return False


_OVERWRITING = frozenset({"CopyFrom", "Clear", "ParseFromString", "FromString", "ClearField"})
_PARTS = frozenset({"graph_options", "rewrite_options"})


def _part_is_overwritten(project: Project, ref: Ref) -> bool:
    outer = project.parent_ref(ref)
    if outer is None or not isinstance(outer.expr, Attribute):
        return False
    name = outer.expr.attr
    return name in _OVERWRITING or (name in _PARTS and _part_is_overwritten(project, outer))


@once
def files_with_entries(project: Project) -> frozenset[str]:
    """The files that put an entry into a config, or have npu_bridge do it."""
    made = (*helper_calls(project), *run_configs(project))
    return frozenset([*(call.key for call in made), *(entry.added.key for entry in entries(project))])


def may_be_configured(project: Project, call: Ref) -> bool:
    """Whether a call in whose programs configs have the entry may get one, where it gets what nobody sees."""
    return not project.neighbours(call.key).isdisjoint(files_with_entries(project))
