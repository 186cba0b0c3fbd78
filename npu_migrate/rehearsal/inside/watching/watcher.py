"""Every session run of the script passes here: it is judged, imitated and recorded."""

from __future__ import annotations

import builtins
import os
import sys
import threading
import traceback
from typing import Any, Callable, Iterable, Iterator

from .. import judging
from ..events import Events, Refusal, Verdict
from ..graphs.marks import marks_of
from ..graphs.operations import GET_NEXT, ITERATORS, sources
from ..graphs.pruning import Wanted
from ..judging import acceleration, rec
from ..judging.partition import variables_zeroed
from ..judging.restoring import never_initialized
from ..judging.seen import Seen
from ..modules import client, errors, major_version
from ..places import Place, Places
from ..requests import Request
from ..sessions.options import options_of
from ..sessions.rec_steps import RecSteps
from ..sessions.sessions import Judged, Session, tensorflow_session
from ..watching.describing import describe
from . import recording, zeros

_INSISTED = 3
"""How often a script that goes on after it was stopped is stopped again, before its process ends."""

_ABORTED = 134
"""The exit code of a process that ended by SIGABRT, as a shell says it."""

Run = Callable[[bool], "list[Any]"]
"""Does a session run; for its last time with what the caller wants to know of it (`run_metadata`)."""


class Stopped(SystemExit):
    """As many runs were done as were asked for. Nobody catches it; exit handlers and `with` blocks run."""


class Watcher:
    """Watches the sessions of one process.

    `settings_place` is where the settings stand of the estimator that trains now. `communicates` tells that
    the collective communication has been initialized. `rec_steps` is there once Rec SDK is.
    `new_folders` are those that `tempfile` has made: each start of the script has others.
    """

    def __init__(self, request: Request, events: Events) -> None:
        self.request = request
        self.events = events
        self.places = Places(request.root)
        self.runs = 0
        self.npu = False
        self.settings_place: Place | None = None
        self.communicates = False
        self.rec_steps: RecSteps | None = None
        self.new_folders: set[str] = set()
        self._sessions = 0
        self._stops = 0
        self._own = threading.local()
        self._do_run: Callable[..., Any] = client().BaseSession._do_run

    def tell(self, verdict: Verdict, session: Session | None = None) -> None:
        """Write a verdict; what the runtime refuses is refused, if its effects are imitated."""
        self.write(verdict, session)
        if verdict.refusal is not None:
            self.refuse(verdict.refusal)

    def write(self, verdict: Verdict, session: Session | None = None) -> None:
        """Write a verdict."""
        if self.request.mode != "plain":
            self.events.verdict(verdict, self.runs or None, None if session is None else session.number)

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

    def opened(self, session: Any, config: Any) -> None:
        """A session was made with `config`."""
        self._sessions += 1
        known = Session(self._sessions, self.places.here(), options_of(config), session.graph)
        session._npu_rehearsal = known
        if known.options.reaches_npu:
            self.npu = True
            for verdict in self._listed(judging.of_options(known, self.request.tables)):
                self.write(verdict, known)
                known.refusal = known.refusal or verdict.refusal
        elif config is not None:
            for verdict in self._listed(judging.of_other_entries(known, self.request.tables)):
                self.write(verdict, known)

    def run(self, session: Any, wanted: Callable[[], Wanted], key: Any, run: Run) -> list[Any]:
        """`run` what is `wanted`, which is the same for the same `key`, in a session of TensorFlow."""
        known = getattr(session, "_npu_rehearsal", None)
        if getattr(self._own, "runs", False) or not isinstance(known, Session):
            return run(True)
        self._count()
        number, place = self.runs, self.places.here()
        values = self._on_npu(session, known, wanted, key, place, run) if self._concerns(known) else run(True)
        if self.request.record:
            self.events.run(number, known.number, place, recording.fetched(wanted().fetches, values))
        return values

    def unseen(self, session: Any) -> zeros.Run:
        """Runs in `session` that are nobody's but ours."""
        inner = tensorflow_session(session)

        def run(targets: list[Any], fetches: list[Any], feeds: dict[Any, Any]) -> list[Any]:
            self._own.runs = True
            try:
                keys = {_feed_key(tensor): value for tensor, value in feeds.items()}
                values: list[Any] = self._do_run(inner, None, targets, fetches, keys, None, None)
                return values
            finally:
                self._own.runs = False

        return run

    def ended(self) -> None:
        """The script has come to its end by itself."""
        if self.rec_steps is not None and self.rec_steps.judged:
            for verdict in self._listed(rec.judge_end(self.rec_steps)):
                self.write(verdict)

    def _concerns(self, session: Session) -> bool:
        if not session.options.reaches_npu:
            return False
        # On plain TensorFlow only the loop is imitated, which is what its author asks for.
        return self.request.mode != "plain" or session.options.iterations > 1

    def _count(self) -> None:
        limit = self.request.max_runs
        if limit is not None and self.runs >= limit and threading.current_thread() is threading.main_thread():
            self._stops += 1
            if self._stops > _INSISTED:
                sys.stdout.flush()
                sys.stderr.flush()
                self.events.end("stopped", 0, self.runs, self.npu)
                os._exit(0)
            raise Stopped(0)
        self.runs += 1

    def _on_npu(
        self,
        session: Any,
        known: Session,
        wanted: Callable[[], Wanted],
        key: Any,
        place: Place | None,
        run: Run,
    ) -> list[Any]:
        judged = known.kept.get(key)
        if judged is None:
            judged = known.kept[key] = describe(wanted())
        if self.request.mode == "plain":
            return _repeated(run, known, judged)
        seen = Seen(known, judged, marks_of(known.graph), self.places, place, self.request.tables)
        self._judge(seen)
        try:
            values = _repeated(run, known, judged)
        except errors().FailedPreconditionError as error:
            self._explain(seen, str(error))
            raise
        self._note(session, seen)
        return values

    def _judge(self, seen: Seen) -> None:
        session, judged = seen.session, seen.judged
        if session.refusal is not None:
            self.refuse(session.refusal)
        found: list[Verdict] = []
        if judged.judged_at is None:
            found += self._listed(judging.of_run(seen))
        if judged.judged_at != session.state.version and (judged.makers or judged.iterators):
            found += self._listed(judging.of_state(seen))
        judged.judged_at = session.state.version
        if judged.changes_model and not judged.host and not session.told_progress:
            session.told_progress = True
            found += self._listed(acceleration.judge(seen))
        if session.lost_on_restore:
            for name in judged.iterators:
                lost = session.lost_on_restore.pop(name, None)
                if lost is not None:
                    found.append(lost)
                    session.explained.add(name)
        for verdict in found:
            self.write(verdict, session)
            judged.refusal = judged.refusal or verdict.refusal
        if judged.refusal is not None:
            self.refuse(judged.refusal)

    def _note(self, session: Any, seen: Seen) -> None:
        """What a run has changed."""
        known, judged = seen.session, seen.judged
        if not judged.has_run:
            judged.has_run = True
            known.state.initialized(judged.written, judged.host)
        self.communicates = self.communicates or not judged.host
        for name, dataset in judged.makers:
            known.state.reads_from(name, dataset)
            known.lost_on_restore.pop(name, None)
        if judged.makers and judged.assigned:
            self._lose(session, seen)
        if self.rec_steps is not None:
            if judged.trains:
                self.rec_steps.trained(known.steps_per_run if judged.looped else 1)
            elif judged.iterators and not judged.makers:
                self.rec_steps.evaluated()

    def _lose(self, session: Any, seen: Seen) -> None:
        """What a run on the host has assigned is 0 on the device."""
        unseen = self.unseen(session)
        values = {
            variable: value
            for variable, value in zeros.values_of(seen.judged.assigned, unseen).items()
            if zeros.has_other_than_zeros(value)
        }
        if not values:
            return
        lost = {variable: seen.judged.assigned[variable] for variable in values}
        for verdict in self._listed(iter([variables_zeroed(seen, lost)])):
            self.write(verdict, seen.session)
        if self.request.mode == "imitate":
            zeros.set_to_zeros(values, unseen)

    def _explain(self, seen: Seen, message: str) -> None:
        """An iterator without data was read from; the error tells no more than its name."""
        if "iterator has not been initialized" not in message:
            return
        for operation in seen.pruned.of(*GET_NEXT):
            for iterator in sources(operation.inputs[0], ITERATORS):
                known = seen.session.state.datasets.keys() | seen.session.explained
                if iterator.name not in known:
                    self.write(never_initialized(iterator, self.places, seen.place), seen.session)

    def _listed(self, verdicts: Iterable[Verdict] | Iterator[Verdict]) -> list[Verdict]:
        """The verdicts; a mistake of a judge is noted, and never the script's."""
        found: list[Verdict] = []
        try:
            found.extend(verdicts)
        except Exception:
            self.events.mishap(traceback.format_exc())
        return found


def _repeated(run: Run, session: Session, judged: Judged) -> list[Any]:
    """The values of the last of N runs, for a looped operation."""
    if judged.looped:
        for _ in range(session.steps_per_run - 1):
            run(False)
    return run(True)


def _feed_key(tensor: Any) -> Any:
    """What `BaseSession._do_run` takes as the key of a feed: in TensorFlow 2 a reference to the tensor."""
    return tensor.ref() if major_version() > 1 else tensor
