"""Which language is wanted: what an option, the environment or the settings say, else that of the locale."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh")
"""The words for the languages, in options and settings."""

VARIABLE = "NPU_MIGRATE_LANGUAGE"
"""The variable of the environment that says which language is wanted, whatever the settings say."""

LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables that name a locale; the first one that is set counts."""


def asked_for(
    option: str | None, setting: str | None, environment: Mapping[str, str] | None = None
) -> str | None:
    """The language that somebody has asked for by an option, a variable or a setting, in this order."""
    variables = os.environ if environment is None else environment
    return option or known(variables.get(VARIABLE)) or setting


def known(name: str | None) -> str | None:
    """The language that a name such as ``zh``, ``zh-CN`` or ``zh_CN.UTF-8`` stands for; None if none does."""
    language = (name or "").replace("-", "_").partition(".")[0].partition("_")[0].lower()
    return language if language in LANGUAGES else None


def wrong_variable(environment: Mapping[str, str] | None = None) -> str | None:
    """What is wrong with the value of `VARIABLE`, in one line; None for a language, and if it is not set."""
    variables = os.environ if environment is None else environment
    value = variables.get(VARIABLE)
    if not value or known(value):
        return None
    return f"{VARIABLE}={value}: there is no such language; the languages are {', '.join(LANGUAGES)}"


def of_locale(environment: Mapping[str, str] | None = None) -> str:
    """The language of the user's locale; English where it is none that is known."""
    variables = os.environ if environment is None else environment
    named = next((value for name in LOCALE_VARIABLES if (value := variables.get(name))), None)
    if named is None and sys.platform == "win32":
        import locale

        named = "zh" if (locale.getlocale()[0] or "").startswith(("Chinese", "zh")) else None
    return known(named) or ENGLISH


def can_be_shown(language: str, encoding: str | None) -> bool:
    """Whether a stream of this encoding has the letters of a language."""
    if language == ENGLISH:
        return True
    try:
        "\N{CJK UNIFIED IDEOGRAPH-4E2D}".encode(encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
