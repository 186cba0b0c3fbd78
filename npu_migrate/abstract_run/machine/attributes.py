"""Attributes of values: of objects and classes of the program, of modules, of functions."""

from __future__ import annotations

from npu_migrate.abstract_run.machine.run import Raised, Run
from npu_migrate.abstract_run.machine.values import (
    Class,
    Descriptor,
    External,
    Function,
    Instance,
    Manager,
    Method,
    Module,
    Native,
    Raising,
    Unknown,
    Value,
    shape,
)
from npu_migrate.index.plain_bases import is_plain_base

_ABSENT = object()


def attribute_of(run: Run, owner: Value, name: str) -> Value:
    """``owner.name``. Raises `Raised` where there is none."""
    if isinstance(owner, Unknown):
        owner = run.equals.get(owner, owner)
    if isinstance(owner, Instance):
        return _of_instance(run, owner, name)
    if isinstance(owner, Module):
        return _of_module(run, owner, name)
    if isinstance(owner, Class):
        return _of_class(owner, name)
    if isinstance(owner, Function):
        if name in owner.fields:
            return owner.fields[name]
        return owner.scope.name if name == "__name__" else Unknown()
    modelled = getattr(owner, "attribute", None)
    if modelled is not None and not isinstance(owner, (str, bytes)):
        value: Value = modelled(name)
        return value
    if isinstance(owner, Manager) or owner is None:
        if owner is None and name.startswith("__"):
            return Unknown()
        raise Raised(Raising("AttributeError"), fails=True)
    return run.libraries.attribute(owner, name)


def has_attribute(run: Run, owner: Value, name: str) -> bool | None:
    """Whether there is an attribute; None where that is open."""
    if isinstance(owner, (Instance, Module, Class)):
        try:
            attribute_of(run, owner, name)
        except Raised:
            return False
        return True
    return None


def _of_instance(run: Run, owner: Instance, name: str) -> Value:
    found = found_in_class(owner.cls, name)
    if isinstance(found, Descriptor) and found.kind == "property":
        return run.call(found.function, owner)
    if name in owner.fields:
        return owner.fields[name]
    if name == "__class__":
        return owner.cls
    if name == "__dict__":
        raise run.lost("the attributes of an object are asked for")
    if found is not _ABSENT:
        return _bound(found, owner, owner.cls)
    for base in owner.cls.order:
        if isinstance(base, External) and not is_plain_base(base.name):
            return run.libraries.inherited(owner, base.name, name)
    if any(not isinstance(base, (Class, External)) for base in owner.cls.order):
        raise run.lost(f"`{name}` may come from a base class that is not known")
    getter = found_in_class(owner.cls, "__getattr__")
    if isinstance(getter, Function):
        return run.call(getter, owner, name)
    raise Raised(Raising("AttributeError"), fails=True)


def _of_class(owner: Class, name: str) -> Value:
    found = found_in_class(owner, name)
    if found is _ABSENT:
        if name in ("__name__", "__doc__", "__module__"):
            return owner.name
        outside = [base.name for base in owner.order if isinstance(base, External)]
        # Not everything that a plain base has is one of its attributes: `register` comes from its metaclass.
        for base_name in (*(one for one in outside if not is_plain_base(one)), *outside):
            if base_name != "builtins.object":
                return External(f"{base_name}.{name}")
        raise Raised(Raising("AttributeError"), fails=True)
    if isinstance(found, Descriptor):
        if found.kind == "staticmethod":
            return found.function
        if found.kind == "classmethod":
            return Method(found.function, owner)
    return found


def _of_module(run: Run, owner: Module, name: str) -> Value:
    if name in owner.frame.names:
        return owner.frame.names[name]
    if name == "__name__":
        return owner.name
    if name in ("__file__", "__doc__", "__path__"):
        return Unknown("a path")
    key = run.source.resolve(owner.key, f"{owner.name}.{name}", 0)
    if key is not None and key in run.modules:
        return run.modules[key]
    if owner.stars:
        return External(f"{owner.stars[-1]}.{name}")
    raise Raised(Raising("AttributeError"), fails=True)


def found_in_class(cls: Class, name: str) -> Value:
    """What a class, or one of its bases in the program, has under a name; a mark of its own for nothing."""
    for base in cls.order:
        if isinstance(base, Class) and name in base.names:
            return base.names[name]
    return _ABSENT


def is_absent(value: Value) -> bool:
    """Whether `found_in_class` has found nothing."""
    return value is _ABSENT


def _bound(found: Value, owner: Instance, cls: Class) -> Value:
    if isinstance(found, Function):
        return Method(found, owner)
    if isinstance(found, Descriptor):
        if found.kind == "staticmethod":
            return found.function
        return Method(found.function, cls)
    if isinstance(found, Native):
        return Method(found, owner)
    return found


def inherited_by_super(run: Run, cls: Class, receiver: Value, name: str) -> Value:
    """``super().name`` in a method of `cls`."""
    order = receiver.cls.order if isinstance(receiver, Instance) else cls.order
    if isinstance(receiver, Class):
        order = receiver.order
    behind = order[order.index(cls) + 1 :] if cls in order else ()
    for base in behind:
        if isinstance(base, Class) and name in base.names:
            found = base.names[name]
            if isinstance(receiver, Instance):
                if isinstance(found, Descriptor) and found.kind == "property":
                    return run.call(found.function, receiver)
                return _bound(found, receiver, receiver.cls)
            return Method(found, receiver) if isinstance(found, Function) else found
        if isinstance(base, External):
            if is_plain_base(base.name):
                continue
            return run.libraries.inherited(receiver, base.name, name)
        if not isinstance(base, Class):
            raise run.lost(f"`{name}` may come from a base class that is not known")
    return run.libraries.inherited(receiver, "builtins.object", name)


def set_attribute(run: Run, owner: Value, name: str, value: Value) -> None:
    """``owner.name = value``."""
    if isinstance(owner, Instance):
        found = found_in_class(owner.cls, name)
        if isinstance(found, Descriptor) and found.kind == "property":
            if found.setter is None:
                raise Raised(Raising("AttributeError"), fails=True)
            run.call(found.setter, owner, value)
            return
        owner.fields[name] = value
        run.wrote(owner.fields, name, value)
    elif isinstance(owner, Module):
        owner.frame.names[name] = value
        run.wrote(owner.frame.names, name, value)
    elif isinstance(owner, Class):
        owner.names[name] = value
        run.wrote(owner.names, name, value)
    elif isinstance(owner, Function):
        owner.fields[name] = value
        run.wrote(owner.fields, name, value)
    elif hasattr(owner, "set_attribute"):
        owner.set_attribute(name, value)
    elif owner is None:
        raise Raised(Raising("AttributeError"), fails=True)
    else:
        reason = run.libraries.must_not_see(value)
        if reason:
            raise run.lost(f"an attribute of {shape(owner)} is set: {reason}")
