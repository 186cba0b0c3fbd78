"""Every session run of the script passes here: it is judged, imitated and recorded."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Callable, Iterable

from . import judging, recording, zeros
from .events import Events, Refusal, Verdict
from .judging.partition import on_host, variables_zeroed
from .modules import client, errors
from .operations import assignments
from .options import options_of
from .places import Place, Places
from .pruning import Pruned, Wanted, output_of
from .requests import Request
from .sessions import Judged, Session

_INSISTED = 3
"""How often a script that goes on after it was stopped is stopped again, before its process ends."""


class Stopped(SystemExit):
    """As many runs were done as were asked for. Nobody catches it; exit handlers and `with` blocks run."""


class Watcher:
    """Watches the sessions of one process."""

    def __init__(self, request: Request, events: Events) -> None:
        self.request = request
        self.events = events
        self.places = Places(request.root)
        self.runs = 0
        self.sessions = 0
        self.npu = False
        self.aborted = False
        self.stops = 0
        self._busy = threading.local()
        self._do_run: Callable[..., Any] = client().BaseSession._do_run

    # What imitations tell.

    @property
    def imitates(self) -> bool:
        """Whether the device's effects are imitated."""
        return self.request.mode == "imitate"

    def tell(self, verdict: Verdict, session: Session | None = None) -> None:
        """A verdict; what the runtime refuses is refused where effects are imitated."""
        if self.request.mode == "plain":
            return
        self.events.verdict(verdict, self.runs or None, None if session is None else session.number)
        if verdict.refusal is not None and self.imitates:
            self.refuse(verdict.refusal)

    def refuse(self, refusal: Refusal) -> None:
        """Do what the runtime does."""
        self.aborted = True
        if refusal.aborts:
            self.abort(refusal.reason)
        error = getattr(errors(), refusal.error or "")(None, None, refusal.reason)
        error._npu_rehearsal_refused = True
        raise error

    def abort(self, reason: str) -> None:
        """End the process as a fatal check of the runtime does."""
        sys.stdout.flush()
        sys.stderr.write("FATAL " + reason + "\n")
        sys.stderr.flush()
        self.events.end("aborted", -6, self.runs, self.npu)
        os.abort()

    # Sessions.

    def opened(self, session: Any, config: Any) -> None:
        """A session was made with `config`."""
        self.sessions += 1
        options = options_of(config)
        known = Session(self.sessions, self.places.here(), options, session.graph)
        session._npu_rehearsal = known
        if options.reaches_npu:
            self.npu = True
            for verdict in judging.of_options(known, self.request.tables):
                self.tell(verdict, known)

    def run(
        self, session: Any, wanted: Callable[[], Wanted], key: Any, run: Callable[[], list[Any]]
    ) -> list[Any]:
        """`run` what is `wanted`, which is the same for the same `key`, in a session of TensorFlow."""
        known = getattr(session, "_npu_rehearsal", None)
        if getattr(self._busy, "busy", False) or not isinstance(known, Session):
            return run()
        self._count()
        number = self.runs
        place = self.places.here()
        if not known.options.reaches_npu:
            values = run()
        else:
            values = self._on_npu(session, known, self._judged(known, wanted, key), place, run)
        if self.request.record:
            self.events.run(number, known.number, place, recording.fetched(wanted().fetches, values))
        return values

    def _count(self) -> None:
        limit = self.request.max_runs
        if limit is not None and self.runs >= limit and threading.current_thread() is threading.main_thread():
            self.stops += 1
            if self.stops > _INSISTED:
                sys.stdout.flush()
                sys.stderr.flush()
                self.events.end("stopped", 0, self.runs, self.npu)
                os._exit(0)
            raise Stopped(0)
        self.runs += 1

    def _judged(self, session: Session, wanted: Callable[[], Wanted], key: Any) -> Judged:
        known = session.kept.get(key)
        if known is None:
            pruned = Pruned(wanted())
            known = Judged(pruned, on_host(pruned))
            known.assigned = assignments(pruned.operations)
            session.kept[key] = known
        return known

    def _on_npu(
        self,
        session: Any,
        known: Session,
        judged: Judged,
        place: Place | None,
        run: Callable[[], list[Any]],
    ) -> list[Any]:
        values = run()
        if judged.host and judged.assigned and self.request.mode != "plain":
            self._lose(session, known, judged, place)
        return values

    def _lose(self, session: Any, known: Session, judged: Judged, place: Place | None) -> None:
        """What a run on the host has assigned is 0 on the device."""
        unseen = self._unseen(session)
        values = {
            variable: value
            for variable, value in zeros.values_of(judged.assigned, unseen).items()
            if zeros.has_other_than_zeros(value)
        }
        if not values:
            return
        lost = {variable: judged.assigned[variable] for variable in values}
        self.tell(variables_zeroed(judged.pruned, lost, self.places, place), known)
        if self.imitates:
            zeros.set_to_zeros(values, unseen)

    def _unseen(self, session: Any) -> zeros.Run:
        def run(targets: list[Any], fetches: list[Any], feeds: dict[Any, Any]) -> list[Any]:
            self._busy.busy = True
            try:
                keys = {
                    (tensor.ref() if client_uses_references() else tensor): value
                    for tensor, value in feeds.items()
                }
                values: list[Any] = self._do_run(session, None, targets, fetches, keys, None, None)
                return values
            finally:
                self._busy.busy = False

        return run


def client_uses_references() -> bool:
    """Whether the feeds of `_do_run` have references to tensors as keys, as in TensorFlow 2."""
    import tensorflow

    return not tensorflow.__version__.startswith("1.")


def install(watcher: Watcher) -> None:
    """From now on `watcher` sees all sessions of this process."""
    base = client().BaseSession
    init, do_run, make_callable, from_options = (
        base.__init__,
        base._do_run,
        base.make_callable,
        base._make_callable_from_options,
    )

    def watched_init(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
        init(self, target, graph, config)
        watcher.opened(self, config)

    def watched_run(
        self: Any, handle: Any, targets: Any, fetches: Any, feeds: Any, options: Any, metadata: Any
    ) -> Any:
        def run() -> list[Any]:
            values: list[Any] = do_run(self, handle, targets, fetches, feeds, options, metadata)
            return values

        if handle is not None:
            return run()
        fed = [key.deref() if hasattr(key, "deref") else key for key in feeds]

        def wanted() -> Wanted:
            return Wanted(tuple(fetches), tuple(targets), frozenset(map(output_of, fed)))

        key = (tuple(map(id, targets)), tuple(map(id, fetches)), tuple(map(id, fed)))
        return watcher.run(self, wanted, key, run)

    def watched_make_callable(
        self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        if feed_list is not None:
            # It calls `run` by itself.
            return make_callable(self, fetches, feed_list, accept_options)
        make_callable(self, fetches, feed_list, accept_options)

        def call(options: Any = None, run_metadata: Any = None) -> Any:
            return base.run(self, fetches, None, options, run_metadata)

        return call if accept_options else lambda: call()

    def watched_from_options(self: Any, callable_options: Any) -> Any:
        original = from_options(self, callable_options)
        wanted = _wanted_by(self.graph, callable_options)

        def call(*args: Any, **kwargs: Any) -> Any:
            return watcher.run(self, lambda: wanted, id(wanted), lambda: original(*args, **kwargs))

        call.original = original  # type: ignore[attr-defined]
        return call

    base.__init__ = watched_init
    base._do_run = watched_run
    base.make_callable = watched_make_callable
    base._make_callable_from_options = watched_from_options


def _wanted_by(graph: Any, options: Any) -> Wanted:
    """What a callable asks for that is made of names, as Keras makes them."""

    def tensors(names: Iterable[str]) -> list[Any]:
        return [graph.as_graph_element(name, allow_operation=False) for name in names]

    connections = options.tensor_connection
    return Wanted(
        tuple(tensors(options.fetch)),
        tuple(_operation(graph, name) for name in options.target),
        frozenset(map(output_of, tensors([*options.feed, *(one.to_tensor for one in connections)]))),
        tuple(tensors(one.from_tensor for one in connections)),
    )


def _operation(graph: Any, name: str) -> Any:
    element = graph.as_graph_element(name)
    return getattr(element, "op", element)
