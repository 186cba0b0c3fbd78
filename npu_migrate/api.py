"""What stands behind the functions of the package: the same run as on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from npu_migrate.engine.fixes.applying import apply_in_memory, chosen_fixes, without_new_files
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.request import TEXT_NAME, Request, Text, prepare
from npu_migrate.engine.run import run
from npu_migrate.findings import Applicability, Diagnostic, Report
from npu_migrate.settings import Settings
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source, SourceError, from_text

Name = str | os.PathLike[str]


def check_paths(paths: Iterable[Name], root: Name | None, settings: Settings | None) -> Report:
    """See `npu_migrate.check`."""
    request = Request(tuple(os.fspath(path) for path in paths), root=None if root is None else Path(root))
    return _run(request, settings)[1].report


def check_text(text: str, filename: Name | None, settings: Settings | None) -> tuple[Diagnostic, ...]:
    """See `npu_migrate.check_source`."""
    return _run(_text_request(text, filename), settings)[1].report.diagnostics


def fix_text(
    text: str,
    filename: Name | None,
    settings: Settings | None,
    applicability: Applicability | None,
    override: Callable[[Settings], Settings] = lambda found: found,
) -> str:
    """See `npu_migrate.fix_source`. `override` changes the settings, wherever they came from."""
    job, outcome = _run(replace(_text_request(text, filename), override=override), settings)
    chosen = chosen_fixes(outcome.diagnosed, applicability or job.settings.applicability)
    fixes = without_new_files(outcome.tree, chosen)
    (key,) = outcome.tree.targets
    fixed = apply_in_memory(outcome.tree, fixes).contents.get(key)
    return text if fixed is None else fixed.decode("utf-8")


def _text_request(text: str, filename: Name | None) -> Request:
    name = None if filename is None else os.fspath(filename)
    return Request(text=Text(_content(text, key_of(name or TEXT_NAME)), name))


def _content(text: str, key: str) -> Source | bytes:
    """The text as a UTF-8 file, whatever its cookie says; bytes that will be reported if it cannot be one."""
    try:
        return from_text(key, text)
    except SourceError:
        return text.encode("utf-8", "surrogatepass")


def _run(request: Request, settings: Settings | None) -> tuple[Job, Outcome]:
    job = prepare(replace(request, settings=settings), installed_machinery())
    return job, run(job)
