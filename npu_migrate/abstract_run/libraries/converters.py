"""The TFLite converter: it keeps what it is told, and calls the representative dataset when it converts."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.tables import Models
from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.values import Arguments, Native, Unknown, Value


class Converter:
    """What ``TFLiteConverter.from_session`` returns: the graph has been frozen, nothing is run any more."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.fields: dict[str, Value] = {}

    def attribute(self, name: str) -> Value:
        """What was set, or a method."""
        if name == "convert":
            return Native(name, lambda _: self._convert())
        return self.fields[name] if name in self.fields else Unknown(name)

    def set_attribute(self, name: str, value: Value) -> None:
        """``converter.representative_dataset = generator``."""
        self.fields[name] = value
        self.world.run.wrote(self.fields, name, value)

    def _convert(self) -> Value:
        given = self.fields.get("representative_dataset")
        if given is not None:
            for _ in self.world.run.items(self.world.run.call(given)):
                pass
        return Unknown("a model")


def _from_session(world: World, arguments: Arguments) -> Value:
    return Converter(world)


CONVERTERS: Models = {"tensorflow.lite.TFLiteConverter.from_session": _from_session}
