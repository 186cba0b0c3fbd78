"""In which language a run of the command line speaks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from npu_migrate.commands.options import CommandError, Options
from npu_migrate.languages.choosing import ENGLISH, asked_for, can_be_shown, of_locale, wrong_variable
from npu_migrate.languages.language import Language
from npu_migrate.languages.saying import Say
from npu_migrate.reports.formats import FORMATS
from npu_migrate.settings import Settings, SettingsError, load_settings


def require_known_language(option: str | None) -> None:
    """Raise `CommandError` if the environment asks for a language that there is not, and no `option` does."""
    wrong = None if option else wrong_variable()
    if wrong is not None:
        raise CommandError(wrong)


def language_of(option: str | None, settings: Settings) -> Language:
    """The language of what is told to people; that of the locale only if the streams have its letters."""
    asked = asked_for(option, settings.language)
    if asked is not None:
        return Language(asked)
    of_user = of_locale()
    shown = all(can_be_shown(of_user, _encoding(stream)) for stream in (sys.stdout, sys.stderr))
    return Language(of_user if shown else ENGLISH)


def say_of(options: Options, settings: Settings) -> Say:
    """What says notes and summaries in the language of a run."""
    return language_of(options.language, settings).say


def report_language(form: str, option: str | None, settings: Settings) -> Language:
    """The language of a report in this format: programs get English unless somebody has asked for another."""
    if FORMATS[form].spoken:
        return language_of(option, settings)
    return Language(option or settings.language or ENGLISH)


def asked_language(option: str | None, root: str | None, config: str | None) -> Language:
    """The language of what is told without a run, by the settings of the root or of the working directory."""
    try:
        settings = load_settings(Path(root or "."), None if config is None else Path(config))
    except SettingsError:
        # They are not what was asked for, and whoever runs with them is told.
        settings = Settings()
    return language_of(option, settings)


def _encoding(stream: TextIO | None) -> str | None:
    return None if stream is None else stream.encoding
