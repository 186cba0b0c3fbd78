"""What the user of an editor has set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from npu_migrate.languages.choosing import LANGUAGES
from npu_migrate.settings import Settings, SettingsError, codes_from

SECTION = "npuMigrate"
"""The name under which editors keep the settings."""


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """The settings of an editor.

    `unsafe_fixes`: unsafe fixes are offered too. `select` and `ignore` stand instead of those of a project.
    `debounce` are the milliseconds without a keystroke after which a text is judged. `documentation` is the
    address below which the pages of the rules are found. `language` is the one in which findings are told.
    """

    enable: bool = True
    unsafe_fixes: bool = True
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    debounce: float = 150
    documentation: str | None = None
    language: str | None = None

    def override(self, settings: Settings) -> Settings:
        """The settings of a project with what the user of the editor wants instead."""
        return replace(
            settings,
            select=settings.select if self.select is None else self.select,
            ignore=settings.ignore if self.ignore is None else self.ignore,
        )

    def link(self, code: str) -> str | None:
        """The address of a rule's page."""
        return None if self.documentation is None else f"{self.documentation.rstrip('/')}/rules/{code}/"


def options_from(
    value: object, check_codes: Callable[[Settings], None]
) -> tuple[EditorOptions, tuple[str, ...]]:
    """The options in what an editor has sent, and what is wrong with it; what is wrong counts as not set.

    Names that are not known are those of the editor's own settings. `check_codes` raises `SettingsError` for
    settings with a code that no rule has.
    """
    options = EditorOptions()
    complaints: list[str] = []
    for name, one in value.items() if isinstance(value, Mapping) else ():
        if name not in _READERS or one is None:
            continue
        field, read = _READERS[name]
        try:
            changed: EditorOptions = replace(options, **{field: read(one)})
            check_codes(changed.override(Settings()))
        except ValueError as error:
            complaints.append(f"{SECTION}.{name} must be {error}")
        except SettingsError as error:
            complaints.append(str(error))
        else:
            options = changed
    return options, tuple(complaints)


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _codes(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return codes_from(value)
    if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return tuple(code for one in value for code in codes_from(one))
    raise ValueError('a list of rule codes, such as ["NPU101", "NPU2"]')


def _milliseconds(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 60_000:
        return value
    raise ValueError("a number of milliseconds from 0 to 60000")


def _address(value: object) -> str | None:
    if isinstance(value, str) and (not value or value.startswith(("http://", "https://"))):
        return value or None
    raise ValueError("the address of a web site")


def _language(value: object) -> str | None:
    if value == "" or value in LANGUAGES:
        return str(value) or None
    raise ValueError(f"one of {', '.join(LANGUAGES)}")


_READERS: Mapping[str, tuple[str, Callable[[object], Any]]] = {
    "enable": ("enable", _flag),
    "unsafeFixes": ("unsafe_fixes", _flag),
    "select": ("select", _codes),
    "ignore": ("ignore", _codes),
    "debounce": ("debounce", _milliseconds),
    "documentation": ("documentation", _address),
    "language": ("language", _language),
}
