"""Which findings a run wants: rule codes that were selected, ignored, or ignored in some files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.ignores import Ignores, is_ignored, patterns

TOOL_PREFIX = "NPU9"
"""Codes with which the tool speaks of itself; no selection switches them off."""

EXACT_ONLY = frozenset({"NPU210", "NPU705"})
"""Codes that are on only when they are selected by their full name."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The codes that a run wants, for each file."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    per_file: tuple[tuple[Ignores, tuple[str, ...]], ...]

    @property
    def unrestricted(self) -> bool:
        """Whether it leaves nothing out that rules find."""
        return not (self.select or self.ignore or self.per_file)

    def wants(self, code: str, key: str) -> bool:
        """Whether findings of `code` in the file `key` are to be reported."""
        return is_selected(code, self.select, self.ignore) and not any(
            code.startswith(codes) and is_ignored(key, files) for files, codes in self.per_file
        )


def selection_of(settings: Settings, root: str) -> Selection:
    """The selection that `settings` ask for; `root` is the key of the folder that patterns start from."""
    return Selection(
        settings.select,
        settings.ignore,
        tuple((patterns(root, [pattern]), codes) for pattern, codes in settings.per_file_ignores),
    )


def is_selected(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Whether `code` is on. Of `select` and `ignore` the one with the longer prefix of `code` wins.

    ``select NPU101, ignore NPU1`` leaves NPU101 on; at equal length `ignore` wins.
    """
    if code in EXACT_ONLY and code not in select:
        return False
    ignored = _longest_prefix(code, ignore)
    if code.startswith(TOOL_PREFIX):
        return ignored == 0 or ignored < _longest_prefix(code, select)
    if not select:
        return ignored == 0
    return _longest_prefix(code, select) > ignored


def require_known(codes: Iterable[str], names: Mapping[str, str], origin: str) -> None:
    """Raise `SettingsError`, which begins with `origin`, unless each code begins one that has a name."""
    for code in codes:
        if not any(one.startswith(code) for one in names):
            raise SettingsError(f"{origin}: no rule has the code {code}; {_hint(code, names)}")


def _hint(code: str, names: Mapping[str, str]) -> str:
    import difflib

    named = next((one for one, name in names.items() if name == code.lower()), None)
    if named is not None:
        return f"that is the name of {named}"
    close = sorted(difflib.get_close_matches(code, names, n=3))
    return f"did you mean {' or '.join(close)}?" if close else "--list-rules shows the codes"


def _longest_prefix(code: str, prefixes: Sequence[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=0)
