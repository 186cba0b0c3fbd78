"""What assignments do: to names, attributes, items, and several of these at once."""

from __future__ import annotations

from npu_migrate.abstract_run.machine.attributes import set_attribute
from npu_migrate.abstract_run.machine.containers import store_item, unpacked
from npu_migrate.abstract_run.machine.operations import combined
from npu_migrate.abstract_run.machine.run import Raised, Run
from npu_migrate.abstract_run.machine.values import Frame, Generator, Raising, Sequence, Table, Unknown, Value
from npu_migrate.index.facts import Attribute, Collection, Expr, Name, Statement, Subscript, is_starred


def store(run: Run, frame: Frame, target: Expr, value: Value) -> None:
    """Assign a value to a target."""
    if isinstance(target, Name):
        store_name(run, frame, target.id, value)
    elif isinstance(target, Attribute):
        set_attribute(run, run.evaluate(frame, target.value), target.attr, value)
    elif isinstance(target, Subscript):
        owner = run.evaluate(frame, target.value)
        store_item(run, owner, run.evaluate(frame, target.item), value)
    elif isinstance(target, Collection):
        _store_each(run, frame, target, value)
    else:
        raise run.lost("a target of this kind is not followed")
    run.libraries.stored(value, target)


def _store_each(run: Run, frame: Frame, target: Collection, value: Value) -> None:
    star = next((n for n, item in enumerate(target.items) if is_starred(item)), None)
    if star is None:
        values = unpacked(run, value, len(target.items))
    else:
        if isinstance(value, Generator):
            value = tuple(run.items(value))
        items = list(value) if isinstance(value, tuple) else getattr(value, "items", None)
        if not isinstance(items, list) or getattr(value, "vague", False):
            raise run.lost("it is not known how much is unpacked")
        behind = len(target.items) - star - 1
        if len(items) < len(target.items) - 1:
            raise Raised(Raising("ValueError"), fails=True)
        end = len(items) - behind
        values = [*items[:star], Sequence(items[star:end]), *items[end:]]
    for item, one in zip(target.items, values, strict=True):
        store(run, frame, item.parts[0] if is_starred(item) else item, one)


def store_name(run: Run, frame: Frame, name: str, value: Value) -> None:
    """Bind a name in the scope that it belongs to."""
    outer = frame.scope.outer_names.get(name)
    if outer == "global":
        frame.module.frame.names[name] = value
        run.wrote(frame.module.frame.names, name, value)
        return
    if outer == "nonlocal":
        owner = frame.outer
        while owner is not None and name not in owner.names:
            owner = owner.outer
        if owner is None:
            raise run.lost(f"`{name}` is bound nowhere")
        owner.names[name] = value
        run.wrote(owner.names, name, value)
        return
    frame.names[name] = value


def augmented(run: Run, frame: Frame, statement: Statement) -> None:
    """``target += value``."""
    target = statement.targets[0]
    assert target is not None
    old = run.evaluate(frame, target)
    value = run.evaluate(frame, statement.values[0])
    if isinstance(old, Sequence) and statement.operator == "Add":
        before = len(old.items)
        old.items.extend(run.items(value))
        old.vague |= isinstance(value, Unknown) or bool(getattr(value, "vague", False))
        for item in old.items[before:]:
            run.wrote(old, None, item)
        return
    modelled = next((one for one in (old, value) if hasattr(one, "combined")), None)
    if modelled is not None:
        store(run, frame, target, modelled.combined([old, value]))
    else:
        store(run, frame, target, combined(run, statement.operator, (old, value)))


def delete(run: Run, frame: Frame, target: Expr) -> None:
    """``del target``."""
    if isinstance(target, Name):
        if target.id not in frame.scope.outer_names:
            frame.names.pop(target.id, None)
    elif isinstance(target, Subscript):
        owner = run.evaluate(frame, target.value)
        item = run.evaluate(frame, target.item)
        if isinstance(owner, Table) and not isinstance(item, (Unknown, Sequence, Table, slice)):
            owner.items.pop(item, None)
            run.version += 1
        elif isinstance(owner, Sequence):
            owner.vague = True
            run.version += 1
