"""What ``npu-rehearse`` does once its options are known: one run, or two that are compared."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from npu_migrate.commands import exit_code
from npu_migrate.commands.options import CommandError
from npu_migrate.commands.rehearsing.copies import (
    Migration,
    ProjectCopy,
    copy_folder,
    copy_project,
    migration_of,
)
from npu_migrate.commands.rehearsing.options import Options, require_consistent
from npu_migrate.commands.rehearsing.reporting import (
    both_values,
    deliver,
    difference_in_words,
    note,
    report_of,
    summary,
    with_shown_path,
)
from npu_migrate.commands.speaking import language_of
from npu_migrate.findings import Applicability, Compared, Rehearsal
from npu_migrate.languages.saying import Say
from npu_migrate.rehearsal.comparing import Comparison, Run, compare
from npu_migrate.rehearsal.interpreters import NoTensorFlow, found_interpreter, named_interpreter
from npu_migrate.rehearsal.processes import InterruptedRun, run_script
from npu_migrate.rehearsal.protocol import Mode, Recording, RunRequest
from npu_migrate.rehearsal.ranks import RanksCompared, compare_ranks, joined, with_places_in
from npu_migrate.rehearsal.tables import tables
from npu_migrate.reports.wording import number_of
from npu_migrate.settings import Settings, SettingsError, load_settings
from npu_migrate.sources.discovery import PathError, key_of, project_root
from npu_migrate.streams import tell

FINDINGS = 1
SCRIPT_FAILED = 3
INTERRUPTED = 130

_ENDED_EARLY = {
    "failed": "failed",
    "killed": "failed",
    "aborted": "was ended by what the NPU refuses",
}
"""How a rank ended that did not come to what the others do, in words."""

_SEEDED = "Both runs had the seeds of the rehearsal: their random numbers are not those of other runs."
"""A graph that is changed would draw other numbers."""

_Run = Callable[[RunRequest], Recording]


def rehearse(options: Options) -> int:
    """Do what `options` ask for; returns the exit code. Raises `CommandError`."""
    require_consistent(options)
    root = key_of(project_root([options.script]))
    config = None if options.config is None else Path(options.config)
    try:
        settings = load_settings(Path(root), config)
        if options.port:
            settings = replace(settings, port=True)
        if options.unsafe_fixes:
            settings = replace(settings, applicability=Applicability.UNSAFE)
        python = _interpreter(options, settings, root)
        migration = Migration()
        if options.migrates:
            migration = migration_of(root, key_of(options.script), config, settings)
        with tempfile.TemporaryDirectory(prefix="npu-rehearse-", ignore_cleanup_errors=True) as name:
            scratch = Path(name).resolve()
            if options.compare:
                return _compare(options, settings, python, root, migration, scratch)
            if options.ranks is not None:
                return _rehearse_ranks(options, settings, python, root, migration, scratch, options.ranks)
            copy = ProjectCopy(root, root)
            if options.migrates:
                copy = copy_project(root, scratch / "migrated", migration)
            return _rehearse(options, settings, python, copy)
    except InterruptedRun as interrupted:
        note(f"interrupted after {number_of(interrupted.recording.runs, 'session run')}")
        return INTERRUPTED
    except (NoTensorFlow, PathError, SettingsError) as error:
        raise CommandError(str(error)) from None


def _interpreter(options: Options, settings: Settings, root: str) -> str:
    if options.python is not None:
        return named_interpreter(options.python, "--python")
    named = settings.rehearsal_python
    if named is None:
        return found_interpreter()
    # A path counts from the project's folder, a plain name is looked for as a command.
    at_root = Path(root, named).expanduser()
    return named_interpreter(str(at_root) if at_root.exists() else named, "rehearsal-python")


def _request(
    options: Options,
    copy: ProjectCopy,
    folder: str,
    mode: Mode,
    *,
    take_over: bool = False,
    rank: tuple[int, int] | None = None,
) -> RunRequest:
    return RunRequest(
        script=copy.copied(key_of(options.script)),
        arguments=options.arguments,
        folder=folder,
        root=copy.folder,
        mode=mode,
        max_runs=options.max_runs,
        record=options.compare,
        deterministic=options.compare,
        take_over=take_over,
        rank=rank,
        typed=str(options.script),
        origin=copy.root,
    )


def _rehearse(options: Options, settings: Settings, python: str, copy: ProjectCopy) -> int:
    request = _request(options, copy, key_of(Path.cwd()), _mode(options))
    recording = _started(python, partial(run_script, python, tables=tables()))(request)
    return _told(options, settings, copy, recording, Rehearsal(recording.runs))


def _say(options: Options, settings: Settings) -> Say:
    return language_of(options.language, settings).say


def _mode(options: Options) -> Mode:
    return "imitate" if options.imitate else "judge"


def _rehearse_ranks(
    options: Options,
    settings: Settings,
    python: str,
    root: str,
    migration: Migration,
    scratch: Path,
    size: int,
) -> int:
    """Each rank has a folder of its own, so that none goes on from the checkpoints of another."""
    say = _say(options, settings)
    recordings: list[Recording] = []
    compared = RanksCompared()
    copies = [copy_project(root, scratch / f"rank-{rank}", migration) for rank in range(size)]
    for rank, copy in enumerate(copies):
        folder = _folder_in(copy, scratch / f"folder-of-rank-{rank}")
        note(say(f"{options.script} as rank {rank} of {size}:"))
        request = _request(options, copy, folder, _mode(options), rank=(rank, size))
        recording = _started(python, partial(run_script, python, tables=tables()))(request)
        recordings.append(with_places_in(copies[0].folder, copy.folder, recording))
        if recording.status in _ENDED_EARLY:
            note(say(f"rank {rank} {_ENDED_EARLY[recording.status]}; the ranks are not compared"))
            break
    else:
        compared = compare_ranks(recordings)
    together = joined(recordings, compared.verdicts)
    code = _told(options, settings, copies[0], together, Rehearsal(together.runs))
    for reason in compared.unknown:
        note(say(reason))
    return code


def _folder_in(copy: ProjectCopy, destination: Path) -> str:
    """The working directory in a copy of the project; one that lies elsewhere is copied to `destination`."""
    here = key_of(Path.cwd())
    folder = copy.copied(here)
    return copy_folder(here, destination) if folder == here else folder


def _compare(
    options: Options, settings: Settings, python: str, root: str, migration: Migration, scratch: Path
) -> int:
    """Both runs have a folder of their own, so that the second does not go on where the first has ended."""
    as_it_is = copy_project(root, scratch / "as-it-is", Migration())
    migrated = copy_project(root, scratch / "migrated", migration)
    say = _say(options, settings)
    note(say(f"{options.script} as it is, on plain TensorFlow:"))
    expected, expected_lines = _captured(options, python, as_it_is, "plain", scratch)
    if expected.status in ("failed", "killed"):
        note(say(_how_it_failed(expected, "the script, as it is,")))
        return SCRIPT_FAILED
    ported = expected.on_npu or settings.port
    note(
        say(
            "the migrated copy, as the NPU would run it"
            f"{'' if ported else ', as if its sessions were moved there already (--port moves them)'}:"
        )
    )
    take_over = not expected.on_npu
    found, found_lines = _captured(options, python, migrated, "imitate", scratch, take_over=take_over)
    whole = "stopped" not in (expected.status, found.status)
    comparison = compare(Run(expected.fetched, expected_lines, whole), Run(found.fetched, found_lines, whole))
    difference = comparison.compared.first_difference
    if difference is not None:
        shown = with_shown_path(difference, migrated)
        comparison = comparison._replace(compared=Compared(comparison.compared.steps, shown))
    rehearsal = Rehearsal(found.runs, comparison.compared)
    code = _told(options, settings, migrated, found, rehearsal)
    _tell_comparison(comparison, len(expected_lines), say)
    tell(say(_SEEDED))
    return code if code or difference is None else FINDINGS


def _captured(
    options: Options,
    python: str,
    copy: ProjectCopy,
    mode: Mode,
    scratch: Path,
    *,
    take_over: bool = False,
) -> tuple[Recording, list[str]]:
    """A run in a copy, and the lines that it printed, in which the copy's folder is the user's own."""
    here = key_of(Path.cwd())
    folder = _folder_in(copy, scratch / f"{mode}-folder")
    with tempfile.TemporaryFile() as output:
        request = _request(options, copy, folder, mode, take_over=take_over)
        run = partial(run_script, python, tables=tables(), copy_output=output)
        recording = _started(python, run)(request)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    for temporary, own in ((copy.folder, copy.root), (folder, here)):
        text = text.replace(temporary, own)
    return recording, text.splitlines()


def _started(python: str, run: _Run) -> _Run:
    """`run`, where a process that cannot be started is the user's error."""

    def started(request: RunRequest) -> Recording:
        try:
            return run(request)
        except OSError as error:
            raise CommandError(f"{python} cannot be started: {error.strerror}") from None

    return started


def _told(
    options: Options, settings: Settings, copy: ProjectCopy, recording: Recording, rehearsal: Rehearsal
) -> int:
    script = copy.copied(key_of(options.script))
    report = report_of(recording, script, copy, settings, rehearsal)
    deliver(report, copy, options, settings)
    say = _say(options, settings)
    for line in summary(report, recording, options.ranks or 1):
        tell(say(line))
    if recording.status in ("failed", "killed"):
        note(say(_how_it_failed(recording, "the script")))
        return SCRIPT_FAILED
    return exit_code(report, settings.fail_on)


def _how_it_failed(recording: Recording, who: str) -> str:
    if recording.exit < 0:
        return f"{who} was ended by signal {-recording.exit}"
    return f"{who} failed with exit code {recording.exit}"


def _fetching(runs: int) -> str:
    return f"{number_of(runs, 'session run')} that {'fetches' if runs == 1 else 'fetch'} numbers"


def _tell_comparison(comparison: Comparison, lines: int, say: Say) -> None:
    compared = comparison.compared
    if comparison.left_out:
        tell(say(f"Not compared: {number_of(comparison.left_out, 'session run')} of other threads."))
    if compared.first_difference is not None:
        for line in difference_in_words(compared.first_difference, say):
            tell(line)
        return
    printed = comparison.only_printed
    steps = _fetching(compared.steps)
    if printed is None:
        tell(say(f"The same as on plain TensorFlow: {steps}, and {number_of(lines, 'printed line')}."))
        return
    tell(say(f"The same as on plain TensorFlow: {steps}."))
    tell(say(f"Line {printed.step} of what is printed has other numbers, which no session run fetched:"))
    for line in both_values(printed, say):
        tell(line)
