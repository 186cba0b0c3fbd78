"""TensorFlow's own hooks and session managers tell what they are about to do."""

from __future__ import annotations

import importlib
import os
import tempfile
from typing import TYPE_CHECKING, Any

from ..judging import acceleration, loops, restoring
from ..sessions.sessions import session_of

if TYPE_CHECKING:
    from ..watching.watcher import Watcher


def install(watcher: Watcher) -> None:
    """From now on `watcher` hears of steps that are to be trained, of checkpoints, and of restores."""
    hooks: Any = importlib.import_module("tensorflow.python.training.basic_session_run_hooks")
    _watch_stops(hooks.StopAtStepHook, watcher)
    _watch_checkpoints(hooks.CheckpointSaverHook, watcher)
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
        place = watcher.places.here()
        begin = int(watcher.unseen(session)([], [self._global_step_tensor], {})[0])
        wanted = {int(one) for one in (self._last_step, self._num_steps) if one is not None}
        for verdict in loops.judge_steps(known, int(self._last_step) - begin, place):
            watcher.tell(verdict, known)
        table = watcher.request.tables["acceleration"]
        for verdict in acceleration.judge_total(known, table, frozenset(wanted), place):
            watcher.tell(verdict, known)

    hook.after_create_session = after_create_session


def _watch_checkpoints(hook: Any, watcher: Watcher) -> None:
    original = hook.after_create_session

    def after_create_session(self: Any, session: Any, coord: Any) -> None:
        known = session_of(session)
        if known is not None and known.options.reaches_npu:
            place = watcher.settings_place or watcher.places.here()
            for verdict in loops.judge_checkpoints(known, self._timer._every_steps, place):
                watcher.tell(verdict, known)
        original(self, session, coord)

    hook.after_create_session = after_create_session


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
            local = self._local_init_op
            known.lost_on_restore = restoring.lost(init_op, local, watcher.places)
        return session

    manager.prepare_session = prepare_session
