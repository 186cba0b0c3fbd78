"""Sessions of classes of the program that derive from ``tf.Session``."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.raw_sessions import graph_of_session
from npu_migrate.abstract_run.libraries.sessions import Session
from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.attributes import found_in_class, is_absent
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Class,
    Descriptor,
    External,
    Function,
    Method,
    Native,
    Value,
)
from npu_migrate.knowledge.tensorflow import RAW_SESSIONS, canonical

_OF_BLOCKS = ("__enter__", "__exit__")


class OwnSession(Session):
    """An object of a class that derives from a session. It is opened by the ``__init__`` of its base."""

    def __init__(self, world: World, cls: Class) -> None:
        self.world = world
        self.cls = cls
        self.fields: dict[str, Value] = {}
        self.is_open = False
        self.closed = False
        if any(not is_absent(found_in_class(cls, name)) for name in _OF_BLOCKS):
            raise world.run.lost("a class of sessions has a way of its own to enter a block")
        if not is_absent(found_in_class(cls, "run")):
            # TensorFlow calls it too, such as for ``tensor.eval()``.
            raise world.run.lost("a class of sessions has a `run` of its own")

    def attribute(self, name: str) -> Value:
        """An attribute or a method of the class, of the object, or of all sessions."""
        found = found_in_class(self.cls, name)
        if isinstance(found, Descriptor) and found.kind == "property":
            return self.world.run.call(found.function, self)
        if name in self.fields:
            return self.fields[name]
        if isinstance(found, Descriptor):
            return found.function if found.kind == "staticmethod" else Method(found.function, self.cls)
        if isinstance(found, Function):
            return Method(found, self)
        return self.inherited(name) if is_absent(found) else found

    def set_attribute(self, name: str, value: Value) -> None:
        """``session.name = value``."""
        if isinstance(found_in_class(self.cls, name), Descriptor):
            raise self.world.run.lost("a property of a session is set")
        self.fields[name] = value
        self.world.run.wrote(self.fields, name, value)

    def inherited(self, name: str) -> Value:
        """What the class has from its base."""
        if name == "__init__":
            return Native(name, self._opened)
        if not self.is_open:
            raise self.world.run.lost("a session is used before it is open")
        return super().attribute(name)

    def _opened(self, arguments: Arguments) -> Value:
        super().__init__(self.world, graph_of_session(self.world, arguments))
        self.is_open = True
        return None


def own_session(world: World, cls: Class) -> OwnSession | None:
    """An object of a class of the program, if that derives from a session."""
    bases = {canonical(base.name) for base in cls.order if isinstance(base, External)}
    return OwnSession(world, cls) if "tensorflow.Session" in bases & RAW_SESSIONS else None
