"""From what a user asks for to what a run needs: the root, the settings, the files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.engine.diagnosing import Display
from npu_migrate.engine.job import Job, Machinery, Progress, index_here, tell_nobody
from npu_migrate.project.options import RuleOptions
from npu_migrate.settings import Settings, SettingsError, load_settings
from npu_migrate.sources.discovery import Discovery, PathError, discover, discover_text, key_of, project_root
from npu_migrate.sources.source import Source

if TYPE_CHECKING:
    from npu_migrate.engine.accepting.baseline import Baseline
    from npu_migrate.index.indexing import Index
    from npu_migrate.rules.rule import Rule

TEXT_NAME = "<stdin>"
"""The name of a text that comes without one."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text instead of files: its content, and the name of the file it stands for, if any."""

    content: bytes | Source
    filename: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What to look at, and where the settings are: `root` and `config` replace what would be found.

    `settings` stand instead of those in a file; `override` changes the settings, wherever they came from,
    as options of the command line do. `progress` is told how far the analysis is,
    and `index` builds the facts of files.
    """

    paths: tuple[str, ...] = ()
    text: Text | None = None
    root: Path | None = None
    config: Path | None = None
    settings: Settings | None = None
    override: Callable[[Settings], Settings] = lambda found: found
    progress: Progress = tell_nobody
    index: Index = index_here


def prepare(request: Request, machinery: Machinery) -> Job:
    """Find the root, read and check the settings, find the files.

    A text without a file name has no context. Paths will be shown relative to the working directory.
    Raises `PathError` and `SettingsError`.
    """
    if request.root is not None and not request.root.is_dir():
        raise PathError(f"{request.root}: is not a folder; --root needs the folder of the project")
    text = request.text
    asked = request.paths if text is None else (str(Path(text.filename or TEXT_NAME).parent),)
    root = Path(key_of(request.root or project_root(asked)))
    settings = _settings(request, root, machinery.rules)
    if text is None:
        discovery = discover(request.paths, root, settings.exclude)
    else:
        context_root = root if text.filename is not None else None
        key = key_of(text.filename or TEXT_NAME)
        discovery = discover_text(text.content, key, context_root, settings.exclude)
    baseline = _baseline(settings, discovery, asked if text is None else discovery.tree.targets)
    return Job(
        discovery,
        settings,
        machinery.rules,
        machinery.new_splitter(
            source_folders(settings, root),
            rule_options(settings),
            request.progress,
            request.index,
        ),
        machinery.plan_fixes,
        machinery.foresee_fixes,
        relative_to(Path.cwd()),
        machinery.plan_verified,
        machinery.plan_named,
        machinery.run_codes,
        refinements=() if baseline is None else (baseline,),
    )


def _baseline(settings: Settings, discovery: Discovery, named: Iterable[str]) -> Baseline | None:
    if settings.baseline is None:
        return None
    from npu_migrate.engine.accepting.baseline import baseline_of

    shown = relative_to(Path.cwd())(key_of(discovery.tree.root / settings.baseline))
    return baseline_of(settings, discovery, tuple(map(key_of, named)), shown)


def require_known_codes(settings: Settings, rules: Iterable[Rule], origin: str) -> None:
    """Raise `SettingsError`, which begins with `origin`, when `settings` name a code that neither a rule
    nor a rehearsal has."""
    from npu_migrate.engine.selection import require_known

    per_file = [code for _, codes in settings.per_file_ignores for code in codes]
    asked = (*settings.select, *settings.ignore, *per_file)
    if asked:
        from npu_migrate.rules.seen_in_runs import with_run_codes

        require_known(asked, {rule.code: rule.name for rule in with_run_codes(rules)}, origin)


def relative_to(folder: str | os.PathLike[str]) -> Display:
    """Show keys as paths relative to `folder`, with ``/``."""
    base = key_of(folder)
    prefix = base.rstrip("/") + "/"

    def display(key: str) -> str:
        if key.startswith(prefix):
            return key[len(prefix) :]
        try:
            return os.path.relpath(key, base).replace(os.sep, "/")
        except ValueError:  # another drive
            return key

    return display


def source_folders(settings: Settings, root: Path) -> tuple[str, ...]:
    """The keys of the folders, besides those that Python would search, from which absolute imports start."""
    return tuple(key_of(root / folder) for folder in settings.src)


def rule_options(settings: Settings) -> RuleOptions:
    """What rules may know of the settings."""
    return RuleOptions(
        settings.loss_tensor,
        settings.final_loss,
        settings.product,
        settings.initialize,
        settings.cann,
        settings.port,
    )


def _settings(request: Request, root: Path, rules: Iterable[Rule]) -> Settings:
    if request.settings is None:
        found, origin = load_settings(root, request.config), str(request.config or root / "pyproject.toml")
    else:
        found, origin = request.settings, "settings"
    require_known_codes(found, rules, origin)
    for folder in found.src:
        if not (root / folder).is_dir():
            raise SettingsError(f"{origin}: src: there is no folder {root / folder}")
    return request.override(found)
