"""Every session run of the script passes here: it is judged, imitated and recorded."""

from __future__ import annotations

import builtins
import contextlib
import os
import sys
import threading
import traceback
from typing import Any, Callable, Iterable, Iterator

from .. import judging
from ..events import Events, Refusal, Verdict
from ..graphs.marks import marks_of
from ..graphs.pruning import Wanted
from ..judging import acceleration, communication, rec
from ..judging.partition import variables_zeroed
from ..judging.restoring import never_initialized
from ..judging.seen import Seen
from ..modules import client, errors, major_version
from ..places import Place, Places
from ..requests import Request
from ..sessions.options import options_of
from ..sessions.rec_steps import RecSteps
from ..sessions.sessions import Session, tensorflow_session
from ..watching.describing import describe
from . import recording, zeros
from .graphs_on_device import graph_on_device, keeps_checkpoints
from .losses import lost_values

_INSISTED = 3
"""How often a thread that goes on after it was stopped is stopped again, before its process ends."""

_ABORTED = 134
"""The exit code of a process that ended by SIGABRT, as a shell says it."""

Run = Callable[[bool], "list[Any]"]
"""Does a session run; for its last time with what the caller wants to know of it (`run_metadata`)."""


class Stopped(SystemExit):
    """As many runs were done as were asked for. Nobody catches it; exit handlers and `with` blocks run."""


class Watcher:
    """Watches the sessions of one process.

    `settings_place` is where the settings stand of the estimator that trains now; `seconds_place` is the
    same, if they ask for a checkpoint every so many seconds. `communicates` tells that
    the collective communication has been initialized. `rec_steps` is there once Rec SDK is.
    `new_folders` are those that `tempfile` has made: each start of the script has others. `stopped` tells
    that as many runs were done as were asked for.
    """

    def __init__(self, request: Request, events: Events) -> None:
        self.request = request
        self.events = events
        self.places = Places(request.root)
        self.runs = 0
        self.npu = False
        self.stopped = False
        self.settings_place: Place | None = None
        self.seconds_place: Place | None = None
        self.communicates = False
        self.rec_steps: RecSteps | None = None
        self.new_folders: set[str] = set()
        self._sessions = 0
        self._in_main = 0
        self._own = threading.local()
        self._do_run: Callable[..., Any] = client().BaseSession._do_run

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """What is done here may fail: a mistake of a judge is noted, and never the script's."""
        try:
            yield
        except Exception:
            self.events.mishap(traceback.format_exc())

    def tell_all(self, verdicts: Iterable[Verdict], session: Session | None = None) -> None:
        """Write verdicts; what the runtime refuses is refused, if its effects are imitated."""
        refusal = self.write_all(verdicts, session)
        if refusal is not None:
            self.refuse(refusal)

    def write_all(self, verdicts: Iterable[Verdict], session: Session | None = None) -> Refusal | None:
        """Write verdicts, and return the first refusal among them. A judge may fail on its way."""
        refusal = None
        with self.guarded():
            for verdict in verdicts:
                refusal = refusal or verdict.refusal
                if self.request.mode != "plain":
                    number = None if session is None else session.number
                    self.events.verdict(verdict, self.runs or None, number)
        return refusal

    def refuse(self, refusal: Refusal) -> None:
        """Do what the runtime does, if its effects are imitated."""
        if self.request.mode != "imitate":
            return
        if refusal.error is None:
            sys.stdout.flush()
            sys.stderr.write("FATAL " + refusal.reason + "\n")
            sys.stderr.flush()
            self.events.end("aborted", _ABORTED, self.runs, self.npu)
            os.abort()
        self.raise_error(refusal)

    def raise_error(self, refusal: Refusal) -> None:
        """Raise the error of `refusal`, so that it is known where the script's end comes from."""
        assert refusal.error is not None
        if hasattr(builtins, refusal.error):
            error = getattr(builtins, refusal.error)(refusal.reason)
        else:
            error = getattr(errors(), refusal.error)(None, None, refusal.reason)
        error._npu_rehearsal_refused = True
        raise error

    def opened(self, tf_session: Any, config: Any) -> None:
        """A session was made with `config`."""
        self._sessions += 1
        known = Session(self._sessions, self.places.here(), options_of(config), tf_session.graph)
        tf_session._npu_rehearsal = known
        if known.options.reaches_npu:
            self.npu = True
            self.events.reached()
            known.refusal = self.write_all(judging.of_options(known, self.request.tables), known)
        elif config is not None:
            self.write_all(judging.of_other_entries(known, self.request.tables), known)

    def run(self, tf_session: Any, wanted: Callable[[], Wanted], key: Any, run: Run) -> list[Any]:
        """`run` what is `wanted`, which is the same for the same `key`, in a session of TensorFlow."""
        session = getattr(tf_session, "_npu_rehearsal", None)
        if getattr(self._own, "runs", False) or not isinstance(session, Session):
            return run(True)
        self._count()
        number, place = self.runs, self.places.here()
        main = _in_main_thread()
        self._in_main += main
        try:
            seen = self._seen(session, wanted, key, place) if self._concerns(session) else None
            values = run(True) if seen is None else self._on_npu(tf_session, seen, run)
        finally:
            self._in_main -= main
        if self.request.record:
            with self.guarded():
                fetched = recording.fetched(wanted().fetches, values)
                self.events.run(number, session.number, place, fetched, main)
        return values

    def unseen(self, tf_session: Any) -> zeros.Run:
        """Runs in a session of TensorFlow, wrapped or not, that are nobody's but ours."""
        inner = tensorflow_session(tf_session)

        def run(targets: list[Any], fetches: list[Any], feeds: dict[Any, Any]) -> list[Any]:
            self._own.runs = True
            try:
                keys = {_feed_key(tensor): value for tensor, value in feeds.items()}
                values: list[Any] = self._do_run(inner, None, targets, fetches, keys, None, None)
                return values
            finally:
                self._own.runs = False

        return run

    def distributes(self) -> None:
        """The script trains on several devices."""
        if self.seconds_place is not None:
            self.tell_all(communication.checkpoints_by_time(self.seconds_place))

    def imported_late(self, module: str) -> None:
        """An import statement imports `module`, which should have come before Rec SDK."""
        place = self.places.importing()
        if place is not None:
            self.tell_all(rec.imported_late(module, place))

    def ended(self) -> None:
        """The script has come to its end by itself."""
        if self.rec_steps is not None and self.rec_steps.judged:
            self.write_all(rec.judge_end(self.rec_steps))

    def _concerns(self, session: Session) -> bool:
        if not session.options.reaches_npu:
            return False
        # On plain TensorFlow only the loop is imitated, which is what its author asks for.
        return self.request.mode != "plain" or session.options.iterations > 1

    def _count(self) -> None:
        limit = self.request.max_runs
        # What the main thread waits for in its last run may be what the other threads do.
        if limit is not None and self.runs >= limit and (_in_main_thread() or not self._in_main):
            self.stopped = True
            self._own.stops = getattr(self._own, "stops", 0) + 1
            if self._own.stops > _INSISTED:
                sys.stdout.flush()
                sys.stderr.flush()
                self.events.end("stopped", 0, self.runs, self.npu)
                os._exit(0)
            raise Stopped(0)
        self.runs += 1
        self.events.counted(self.npu)

    def _seen(
        self, session: Session, wanted: Callable[[], Wanted], key: Any, place: Place | None
    ) -> Seen | None:
        """A run, described once for its `key`; None if that fails."""
        with self.guarded():
            if key not in session.kept:
                session.kept[key] = describe(wanted())
            known, marks = session.kept[key], marks_of(session.graph)
            return Seen(session, known, marks, self.places, place, self.request.tables)
        return None

    def _on_npu(self, tf_session: Any, seen: Seen, run: Run) -> list[Any]:
        if self.request.mode == "plain":
            return _repeated(run, seen)
        self._judge(seen)
        try:
            values = _repeated(run, seen)
        except errors().FailedPreconditionError as error:
            self.tell_all(never_initialized(seen, str(error)), seen.session)
            raise
        with self.guarded():
            self._note(tf_session, seen)
        return values

    def _judge(self, seen: Seen) -> None:
        session, known = seen.session, seen.run
        if session.refusal is not None:
            self.refuse(session.refusal)
        for verdicts in self._judges(seen):
            refusal = self.write_all(verdicts, session)
            known.refusal = known.refusal or refusal
        known.judged_at = session.state.version
        if known.refusal is not None:
            self.refuse(known.refusal)

    def _judges(self, seen: Seen) -> Iterator[Iterable[Verdict]]:
        """The verdicts of each judge; where one fails the others still judge."""
        session, known = seen.session, seen.run
        if known.judged_at is None:
            yield judging.of_run(seen)
        if known.judged_at != session.state.version and (known.makers or known.iterators):
            yield judging.of_state(seen)
        if known.changes_model and not known.host and not session.told_progress:
            session.told_progress = True
            yield acceleration.judge(seen)
        for name in known.iterators if session.lost_on_restore else ():
            lost = session.lost_on_restore.pop(name, None)
            if lost is not None:
                session.explained.add(name)
                yield [lost]

    def _note(self, tf_session: Any, seen: Seen) -> None:
        """What a run has changed."""
        session, known = seen.session, seen.run
        if self.request.graphs and not (known.is_told or known.host or keeps_checkpoints(seen)):
            known.is_told = True
            self.events.graph(self.runs, seen.place, graph_on_device(seen))
        if not known.has_run:
            known.has_run = True
            session.state.initialized(known.written, known.host)
        self.communicates = self.communicates or not known.host
        for name, dataset in known.makers:
            session.state.reads_from(name, dataset)
            session.lost_on_restore.pop(name, None)
        if known.makers and known.assigned:
            self._lose(seen, self.unseen(tf_session))
        if self.rec_steps is not None:
            if known.trains:
                self.rec_steps.trained(session.steps_per_run if known.looped else 1)
            elif known.iterators and not known.makers:
                self.rec_steps.evaluated()

    def _lose(self, seen: Seen, unseen: zeros.Run) -> None:
        values = lost_values(seen, unseen)
        if values:
            assigned = {variable: seen.run.assigned[variable] for variable in values}
            self.tell_all(variables_zeroed(seen, assigned), seen.session)
            if self.request.mode == "imitate":
                zeros.set_to_zeros(values, unseen)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _repeated(run: Run, seen: Seen) -> list[Any]:
    """The values of the last of N runs, for a looped operation."""
    if seen.run.looped:
        for _ in range(seen.session.steps_per_run - 1):
            run(False)
    return run(True)


def _feed_key(tensor: Any) -> Any:
    """What `BaseSession._do_run` takes as the key of a feed: in TensorFlow 2 a reference to the tensor."""
    return tensor.ref() if major_version() > 1 else tensor
