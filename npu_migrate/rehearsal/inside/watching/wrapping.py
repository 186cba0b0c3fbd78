"""TensorFlow's sessions, wrapped: all runs of all kinds of sessions end in one of these methods."""

from __future__ import annotations

from typing import Any, Iterable

from ..graphs.pruning import Wanted, output_of
from ..modules import client
from ..watching.watcher import Watcher


def install(watcher: Watcher) -> None:
    """From now on `watcher` sees all sessions of this process."""
    base = client().BaseSession
    _wrap_init(base, watcher)
    _wrap_runs(base, watcher)
    _wrap_partial_runs(base)
    _wrap_make_callable(base)
    _wrap_options(base, watcher)


def _wrap_init(base: Any, watcher: Watcher) -> None:
    original = base.__init__

    def init(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
        original(self, target, graph, config)
        watcher.opened(self, config)

    base.__init__ = init


def _wrap_runs(base: Any, watcher: Watcher) -> None:
    original = base._do_run

    def do_run(
        self: Any, handle: Any, targets: Any, fetches: Any, feeds: Any, options: Any, metadata: Any
    ) -> Any:
        def run(last: bool) -> list[Any]:
            told = metadata if last else None
            values: list[Any] = original(self, handle, targets, fetches, feeds, options, told)
            return values

        if handle is not None:
            parts = getattr(self, "_npu_rehearsal_parts", {}).get(handle)
            if parts is None or not parts.is_last(fetches, targets):
                return run(True)
            return watcher.run(self, lambda: parts.wanted, parts.key, run)
        fed = [key.deref() if hasattr(key, "deref") else key for key in feeds]

        def wanted() -> Wanted:
            return Wanted(tuple(fetches), tuple(targets), frozenset(map(output_of, fed)))

        key = (tuple(map(id, targets)), tuple(map(id, fetches)), tuple(map(id, fed)))
        return watcher.run(self, wanted, key, run)

    base._do_run = do_run


class _Parts:
    """A run that is done in parts: what all of them want, and what is left of it."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.key = tuple(map(id, wanted.targets)), tuple(map(id, wanted.fetches)), wanted.feeds
        self._left = {*map(id, wanted.fetches), *map(id, wanted.targets)}

    def is_last(self, fetches: Iterable[Any], targets: Iterable[Any]) -> bool:
        """Whether nothing is left after this part: the device gets the graph of all parts at once."""
        self._left -= {*map(id, fetches), *map(id, targets)}
        return not self._left


def _wrap_partial_runs(base: Any) -> None:
    original = base.partial_run_setup

    def partial_run_setup(self: Any, fetches: Any, feeds: Any = None) -> Any:
        handle = original(self, fetches, feeds)
        found = client()._FetchHandler(self.graph, fetches, {})
        given = feeds if isinstance(feeds, (list, tuple)) else [] if feeds is None else [feeds]
        fed = frozenset(output_of(self.graph.as_graph_element(one)) for one in given)
        parts = _Parts(Wanted(tuple(found.fetches()), tuple(found.targets()), fed))
        self.__dict__.setdefault("_npu_rehearsal_parts", {})[handle] = parts
        return handle

    base.partial_run_setup = partial_run_setup


def _wrap_make_callable(base: Any) -> None:
    original = base.make_callable

    def make_callable(self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Any:
        made = original(self, fetches, feed_list, accept_options)
        if feed_list is not None:
            # It calls `run` by itself.
            return made

        def with_options(options: Any = None, run_metadata: Any = None) -> Any:
            return base.run(self, fetches, None, options, run_metadata)

        def without_options() -> Any:
            return base.run(self, fetches)

        return with_options if accept_options else without_options

    base.make_callable = make_callable


def _wrap_options(base: Any, watcher: Watcher) -> None:
    """Keras runs what it has put together of names."""
    original = base._make_callable_from_options

    def from_options(self: Any, options: Any) -> Any:
        made = original(self, options)
        wanted = _wanted_by(self.graph, options)

        def call(*args: Any, **kwargs: Any) -> Any:
            return watcher.run(self, lambda: wanted, id(wanted), lambda last: made(*args, **kwargs))

        return call

    base._make_callable_from_options = from_options


def _wanted_by(graph: Any, options: Any) -> Wanted:
    def tensors(names: Iterable[str]) -> list[Any]:
        return [graph.as_graph_element(name, allow_operation=False) for name in names]

    connections = options.tensor_connection
    fed = tensors([*options.feed, *(one.to_tensor for one in connections)])
    return Wanted(
        tuple(tensors(options.fetch)),
        tuple(_operation(graph, name) for name in options.target),
        frozenset(map(output_of, fed)),
        tuple(tensors(one.from_tensor for one in connections)),
    )


def _operation(graph: Any, name: str) -> Any:
    element = graph.as_graph_element(name)
    return getattr(element, "op", element)
