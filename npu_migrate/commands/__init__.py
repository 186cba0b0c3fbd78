"""What the command line does once its options are known."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from npu_migrate.commands.caching import with_cache
from npu_migrate.commands.modes import foreseeing, mode_of, print_only
from npu_migrate.commands.options import CommandError, Interrupted, Options, require_consistent
from npu_migrate.commands.processors import each_on_processors
from npu_migrate.commands.repeating import awaited_answer
from npu_migrate.commands.requests import request_of
from npu_migrate.commands.reviewing import reviewed
from npu_migrate.commands.speaking import say_of
from npu_migrate.commands.telling import note, progress_of, tell_what_is_read
from npu_migrate.commands.watching import Watched
from npu_migrate.engine.job import Machinery, WorkersError, tell_nobody
from npu_migrate.engine.request import prepare
from npu_migrate.findings import Applicability, Report, Severity
from npu_migrate.reports.summary import summary
from npu_migrate.settings import SettingsError
from npu_migrate.sources.discovery import PathError
from npu_migrate.streams import tell


def run_command(
    options: Options,
    machinery: Machinery,
    leave: Callable[[int], int] = lambda code: code,
    question: str | None = None,
) -> int:
    """Do what `options` ask for; returns the exit code. Raises `CommandError` and `Interrupted`.

    `leave` gets the exit code while all facts are still in memory: a process that ends with the run can end
    there and need not free them one by one. `question` is the name under which the next process will look for
    an answer, if it may.
    """
    started = time.monotonic()
    require_consistent(options)
    if options.api_report and options.form != "html":
        from npu_migrate.commands.api_reporting import tell_api_use

        tell_api_use(options, machinery)
        return leave(0)
    progress = Watched(tell_nobody)
    try:
        with progress_of(options) as progress.show:
            request = replace(request_of(options, machinery), progress=progress)
            job = prepare(request, machinery)
            progress.files = len(job.discovery.tree.targets)
            job = replace(foreseeing(job, options), each=each_on_processors(options, progress))
            say = say_of(options, job.settings)
            complain = (lambda text: note(say(text))) if options.verbose else _say_nothing
            job = with_cache(job, options, machinery, complain)
            # A review may run the same job on the files as they were, so it comes last.
            job = reviewed(job, options)
            tell_what_is_read(job, options)
            awaited = awaited_answer(question, job, options)
            if awaited is None:
                report = mode_of(options)(job, options)
            else:
                outcome, printed = print_only(job, options)
                report = outcome.report
    except KeyboardInterrupt:
        raise Interrupted(f"{progress.so_far()}{_left_behind(options)}") from None
    except Interrupted as interrupted:
        raise Interrupted(f"{progress.so_far()}{interrupted}") from None
    except WorkersError as error:
        raise CommandError(f"--executor: {error}") from None
    except (PathError, SettingsError) as error:
        raise CommandError(str(error)) from None
    unsafe_is_set = job.settings.applicability is Applicability.UNSAFE and not options.unsafe_fixes
    said = "" if options.quiet else summary(report, unsafe_is_set=unsafe_is_set, say=say)
    if said:
        tell(said.removesuffix("\n"))
    if options.verbose:
        tell(say(f"Took {time.monotonic() - started:.1f} s."))
    code = exit_code(report, job.settings.fail_on)
    if awaited is not None:
        with contextlib.suppress(PathError, SettingsError):
            awaited.keep(outcome, printed, said, code, lambda: prepare(request, machinery))
    return leave(code)


def _left_behind(options: Options) -> str:
    """What a run has left behind that did not come to its end."""
    if options.output is not None and Path(options.output).is_dir() and any(Path(options.output).iterdir()):
        return f"the copy in {options.output} was written"
    return "nothing was written"


def _say_nothing(text: str) -> None:
    """For what only ``--verbose`` tells."""


def exit_code(report: Report, fail_on: Severity | None) -> int:
    """1 when a finding that counts is at least as bad as `fail_on`, else 0."""
    if fail_on is None:
        return 0
    return int(any(one.severity >= fail_on for one in report.counted))
