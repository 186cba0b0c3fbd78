"""``contextlib``: managers made of generators, and stacks of managers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from npu_migrate.abstract_run.libraries.tables import Models
from npu_migrate.abstract_run.libraries.world import World
from npu_migrate.abstract_run.machine.managers import enter, leave
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    External,
    Generator,
    Manager,
    Native,
    Unknown,
    Value,
)


def _context_manager(world: World, arguments: Arguments) -> Value:
    function = arguments.positional[0]

    def called(given: Arguments) -> Value:
        made = world.run.doors.call(world.run, function, given)
        if not isinstance(made, Generator):
            raise world.run.lost("a context manager is made of no generator")
        return Manager(made)

    if isinstance(function, (External, Unknown)):
        raise world.run.lost("a context manager is not known")
    return Native("contextmanager", called)


class ExitStack:
    """A stack that enters managers, and leaves them all in its end, the last one first."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._leaving: list[Callable[[], object]] = []

    def enter(self) -> Value:
        """The start of its block."""
        return self

    def leave(self) -> None:
        """The end of its block."""
        while self._leaving:
            self._leaving.pop()()

    def attribute(self, name: str) -> Value:
        """A method."""
        methods: Mapping[str, Callable[[Arguments], Value]] = {
            "enter_context": self._enter_context,
            "callback": self._callback,
            "close": lambda _: self.leave(),
            "pop_all": self._pop_all,
        }
        if name not in methods:
            raise self.world.run.lost(f"`{name}` of an ExitStack is not followed")
        return Native(name, methods[name])

    def _enter_context(self, arguments: Arguments) -> Value:
        manager = arguments.positional[0]
        entered = enter(self.world.run, manager)
        self._leaving.append(lambda: leave(self.world.run, manager, None))
        return entered

    def _callback(self, arguments: Arguments) -> Value:
        function, *given = arguments.positional
        self._leaving.append(lambda: self.world.run.call(function, *given, **arguments.keywords))
        return function

    def _pop_all(self, arguments: Arguments) -> Value:
        moved = ExitStack(self.world)
        moved._leaving, self._leaving = self._leaving, []
        return moved


def _exit_stack(world: World, arguments: Arguments) -> Value:
    return ExitStack(world)


MANAGING: Models = {
    "contextlib.contextmanager": _context_manager,
    "tensorflow.python.util.tf_contextlib.contextmanager": _context_manager,
    "contextlib.ExitStack": _exit_stack,
    "contextlib2.ExitStack": _exit_stack,
}
