"""From what a user asks for to what a run needs: the root, the settings, the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.engine.run import require_known_codes
from npu_migrate.settings import Settings, load_settings
from npu_migrate.sources.discovery import Discovery, PathError, discover, discover_text, key_of, project_root
from npu_migrate.sources.source import Source

if TYPE_CHECKING:
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
    as options of the command line do.
    """

    paths: tuple[str, ...] = ()
    text: Text | None = None
    root: Path | None = None
    config: Path | None = None
    settings: Settings | None = None
    override: Callable[[Settings], Settings] = lambda found: found


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a run starts from."""

    discovery: Discovery
    settings: Settings


def prepare(request: Request, rules: Iterable[Rule]) -> Prepared:
    """Find the root, read and check the settings, find the files.

    A text without a file name has no context. Raises `PathError` and `SettingsError`.
    """
    if request.root is not None and not request.root.is_dir():
        raise PathError(f"{request.root}: is not a folder; --root needs the folder of the project")
    rules = tuple(rules)
    text = request.text
    asked = request.paths if text is None else (str(Path(text.filename or TEXT_NAME).parent),)
    root = Path(key_of(request.root or project_root(asked)))
    if request.settings is None:
        found, origin = load_settings(root, request.config), str(request.config or root / "pyproject.toml")
    else:
        found, origin = request.settings, "settings"
    require_known_codes(found, rules, origin)
    settings = request.override(found)
    if text is None:
        return Prepared(discover(request.paths, root, settings.exclude), settings)
    context_root = root if text.filename is not None else None
    key = key_of(text.filename or TEXT_NAME)
    return Prepared(discover_text(text.content, key, context_root, settings.exclude), settings)
