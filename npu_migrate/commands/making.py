"""How a report came about: when, of which commit, with which settings."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from npu_migrate.engine.request import relative_to
from npu_migrate.languages.language import Language
from npu_migrate.reports.surroundings import Making
from npu_migrate.settings import NOT_SET, Settings, in_words
from npu_migrate.sources.discovery import key_of


def making_of(root: Path, settings: Settings, language: Language) -> Making:
    """What a dated report tells of the run that made it, below `root` and with `settings`.

    The time is that of ``SOURCE_DATE_EPOCH`` if that variable has one, so that a report can be made again.
    Where there is no Git, or no commit, there is none.
    """
    from npu_migrate.review.repository import last_commit

    shown = None if settings.file is None else relative_to(Path.cwd())(key_of(settings.file))
    return Making(
        _now().strftime("%Y-%m-%d %H:%M UTC"),
        last_commit(str(root)),
        settings_told(settings, language),
        shown,
    )


def settings_told(settings: Settings, language: Language) -> dict[str, str]:
    """Each key and its value in TOML; the language is the one in force, whatever decided that."""
    told = in_words(replace(settings, language=language.code))
    return {key: language.say(value) if value == NOT_SET else value for key, value in told.items()}


def _now() -> datetime:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isascii() and given.isdigit() and len(given) < len("1000000000000"):
        return datetime.fromtimestamp(int(given), timezone.utc)
    return datetime.now(timezone.utc)
