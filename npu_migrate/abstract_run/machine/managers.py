"""Context managers: entered and left."""

from __future__ import annotations

from npu_migrate.abstract_run.machine.attributes import attribute_of, found_in_class
from npu_migrate.abstract_run.machine.operations import known_truth
from npu_migrate.abstract_run.machine.run import Raised, Run
from npu_migrate.abstract_run.machine.values import (
    External,
    Function,
    Instance,
    Manager,
    Native,
    Raising,
    Unknown,
    Value,
    shape,
)


def enter(run: Run, manager: Value) -> Value:
    """What ``with manager as`` gives."""
    if isinstance(manager, Manager):
        return next(manager.generator.waiting, None)
    if isinstance(manager, Instance) and isinstance(found_in_class(manager.cls, "__enter__"), Function):
        return run.call(run.attribute(manager, "__enter__"))
    entered = getattr(manager, "enter", None)
    if entered is not None:
        value: Value = entered()
        return value
    if isinstance(manager, (Unknown, External)):
        return Unknown()
    if isinstance(manager, (Instance, str, int, tuple)) or manager is None:
        raise Raised(Raising("AttributeError"), fails=True)
    raise run.lost(f"{shape(manager)} is used as a context manager")


def leave(run: Run, manager: Value, raised: Raised | None) -> bool:
    """The end of a ``with`` block; whether it swallows what was raised."""
    if isinstance(manager, Manager):
        return _resume(manager, raised)
    if isinstance(manager, Instance):
        given: tuple[Value, ...] = (None, None, None)
        if raised is not None:
            given = (Unknown("a type"), Unknown("an exception"), Unknown("a traceback"))
        return known_truth(run, run.call(run.attribute(manager, "__exit__"), *given)) is True
    left = getattr(manager, "leave", None)
    if left is not None:
        left()
    return False


def attribute(run: Run, owner: Value, name: str) -> Value:
    """``owner.name``, also where a context manager is entered and left by hand. Raises `Raised` for none."""
    if name == "__enter__" and _is_followed(owner):
        return Native(name, lambda _: enter(run, owner))
    if name == "__exit__" and _is_followed(owner):
        return Native(name, lambda _: leave(run, owner, None))
    return attribute_of(run, owner, name)


def _is_followed(owner: Value) -> bool:
    return isinstance(owner, Manager) or getattr(owner, "enter", None) is not None


def _resume(manager: Manager, raised: Raised | None) -> bool:
    waiting = manager.generator.waiting
    if raised is None:
        for _ in waiting:
            break
        return False
    thrown = getattr(waiting, "throw", None)
    if thrown is None:
        return False
    try:
        thrown(raised)
    except StopIteration:
        return True
    except Raised as again:
        if again is raised:
            return False
        raise
    return True
