"""Hooks of managed sessions: the program's own are called, the library's run what they were given."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.abstract_run.libraries.sessions import Session, fed_by, fetched, resolved
from npu_migrate.abstract_run.libraries.tables import Models, given
from npu_migrate.abstract_run.libraries.world import NOTHING, Effect, Effects, Tensor, World
from npu_migrate.abstract_run.machine.attributes import found_in_class, is_absent
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Instance,
    Native,
    Sequence,
    Unknown,
    Value,
)


class RunArgs:
    """What a hook wants to be run too (``SessionRunArgs``)."""

    def __init__(self, fetches: Value, feeds: Value) -> None:
        self.fetches = fetches
        self.feeds = feeds

    def attribute(self, name: str) -> Value:
        """``fetches`` and ``feed_dict``."""
        return {"fetches": self.fetches, "feed_dict": self.feeds}.get(name)


class Context:
    """What a hook gets to see of a run (``SessionRunContext``)."""

    def __init__(self, session: Session, fetches: Value) -> None:
        self.session = session
        self.fetches = fetches

    def attribute(self, name: str) -> Value:
        """The session, and what was asked for."""
        if name == "session":
            return self.session
        if name == "original_args":
            return RunArgs(self.fetches, None)
        if name == "run_with_hooks":
            return Native(name, self.session.called_to_run)
        return Native(name, lambda _: None)


class Hooks:
    """The hooks of one session."""

    def __init__(self, world: World, *groups: Value) -> None:
        self.world = world
        self.all: list[Value] = [hook for group in groups for hook in _listed(world, group)]

    def tell(self, moment: str, *values: Value) -> list[Value]:
        """Call a method of all hooks of the program; what they return."""
        found = []
        for hook in self.all:
            if isinstance(hook, Instance) and not is_absent(found_in_class(hook.cls, moment)):
                found.append(self.world.run.call(self.world.run.attribute(hook, moment), *values))
        return found

    def around(self, session: Session, fetches: Value, feeds: Value) -> Value:
        """A run of a session with all that the hooks want to be run too."""
        world = self.world
        effects, result = fetched(world, fetches)
        effects = resolved(world, effects, feeds)
        fed = fed_by(feeds)
        context = Context(session, fetches)
        for wanted in self.tell("before_run", context):
            if isinstance(wanted, RunArgs):
                more, _ = fetched(world, wanted.fetches) if wanted.fetches is not None else (NOTHING, None)
                effects |= resolved(world, more, wanted.feeds)
                also = fed_by(wanted.feeds)
                fed = None if fed is None or also is None else fed | also
            elif wanted is not None:
                raise world.run.lost("it is not known what a hook runs")
        session.carry_out(effects | self._of_library(), fed)
        self.tell("after_run", context, Unknown("the values of a run"))
        return result

    def _of_library(self) -> Effects:
        return frozenset[Effect]().union(*(one.effects for one in self.all if isinstance(one, Tensor)))


def _listed(world: World, group: Value) -> Iterable[Value]:
    if group is None:
        return ()
    if isinstance(group, tuple):
        return group
    if isinstance(group, Sequence):
        return list(group.items)
    if isinstance(group, (Tensor, Instance)):
        return (group,)
    if isinstance(group, Unknown):
        return ()
    raise world.run.lost("the hooks of a session are not known")


def _run_args(world: World, arguments: Arguments) -> Value:
    return RunArgs(given(world, arguments, "fetches", 0), given(world, arguments, "feed_dict", 1))


HOOKS: Models = {
    "tensorflow.train.SessionRunArgs": _run_args,
    "tensorflow.estimator.SessionRunArgs": _run_args,
}
