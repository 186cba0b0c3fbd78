"""TensorFlow's own hooks and session managers tell what they are about to do."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from ..events import Verdict
from ..judging import acceleration, loops, restoring
from ..places import Place
from ..sessions.sessions import Session, session_of
from . import zeros

if TYPE_CHECKING:
    from ..watching.watcher import Watcher


def install(watcher: Watcher) -> None:
    """From now on `watcher` hears of steps that are to be trained, of checkpoints, and of restores."""
    hooks: Any = importlib.import_module("tensorflow.python.training.basic_session_run_hooks")
    _watch_stops(hooks.StopAtStepHook, watcher)
    _watch_checkpoints(hooks.CheckpointSaverHook, watcher)
    for hook in (hooks.LoggingTensorHook, hooks.SummarySaverHook, hooks.StepCounterHook):
        _watch_single_steps(hook, watcher)
    managers: Any = importlib.import_module("tensorflow.python.training.session_manager")
    _watch_restores(managers, watcher)
    _note_new_folders(watcher)


def _watch_stops(hook: Any, watcher: Watcher) -> None:
    original = hook.after_create_session

    def after_create_session(self: Any, session: Any, coord: Any) -> None:
        original(self, session, coord)
        known = session_of(session)
        if known is None or not known.options.reaches_npu or self._last_step is None:
            return
        unseen = watcher.unseen(session)
        watcher.tell_all(
            _judge_stop(self, known, unseen, watcher.request.tables, watcher.places.here()), known
        )

    hook.after_create_session = after_create_session


def _judge_stop(
    hook: Any, session: Session, unseen: zeros.Run, tables: Mapping[str, Any], place: Place | None
) -> Iterator[Verdict]:
    """The verdicts on the step at which a training is to end."""
    begin = int(unseen([], [hook._global_step_tensor], {})[0])
    yield from loops.judge_steps(session, int(hook._last_step) - begin, place)
    wanted = frozenset(int(one) for one in (hook._last_step, hook._num_steps) if one is not None)
    yield from acceleration.judge_total(session, tables["acceleration"], wanted, place)


def _watch_checkpoints(hook: Any, watcher: Watcher) -> None:
    original = hook.after_create_session

    def after_create_session(self: Any, session: Any, coord: Any) -> None:
        known = session_of(session)
        if known is not None and known.options.reaches_npu:
            place = watcher.settings_place or watcher.places.here()
            watcher.tell_all(loops.judge_checkpoints(known, self._timer._every_steps, place), known)
        original(self, session, coord)

    hook.after_create_session = after_create_session


def _watch_single_steps(hook: Any, watcher: Watcher) -> None:
    """The hooks that the script makes itself; TensorFlow makes such hooks for every training."""
    made, before_run = hook.__init__, hook.before_run

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        path = watcher.places.own(sys._getframe(1).f_code.co_filename)
        self._npu_rehearsal_place = watcher.places.here() if path and type(self) is hook else None

    def before_run_and_judge(self: Any, run_context: Any) -> Any:
        place = getattr(self, "_npu_rehearsal_place", None)
        if place is not None:
            self._npu_rehearsal_place = None
            known = session_of(run_context.session)
            if known is not None and known.options.reaches_npu:
                watcher.tell_all(loops.judge_hook(known, hook.__name__, place), known)
        return before_run(self, run_context)

    hook.__init__, hook.before_run = init, before_run_and_judge


def _note_new_folders(watcher: Watcher) -> None:
    """A folder that the script makes anew at each start holds no checkpoint when it starts."""
    original = tempfile.mkdtemp

    def mkdtemp(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        watcher.new_folders.add(os.path.abspath(os.fsdecode(made)))
        return made

    tempfile.mkdtemp = mkdtemp


def _is_new(watcher: Watcher, folder: Any) -> bool:
    """Whether a folder is none, or lies in one that is new."""
    path = os.path.abspath(os.fsdecode(folder)) if folder else ""
    return not path or any(path == new or path.startswith(new + os.sep) for new in watcher.new_folders)


def _watch_restores(managers: Any, watcher: Watcher) -> None:
    manager = managers.SessionManager
    original = manager.prepare_session

    def prepare_session(
        self: Any,
        master: Any,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        **others: Any,
    ) -> Any:
        found = checkpoint_dir and managers.checkpoint_management.latest_checkpoint(checkpoint_dir)
        restores = checkpoint_filename_with_path or found or not _is_new(watcher, checkpoint_dir)
        session = original(
            self, master, init_op, saver, checkpoint_dir, checkpoint_filename_with_path, **others
        )
        known = session_of(session)
        if known is not None and init_op is not None and saver is not None and restores:
            with watcher.guarded():
                known.lost_on_restore = restoring.lost(init_op, self._local_init_op, watcher.places)
        return session

    manager.prepare_session = prepare_session
