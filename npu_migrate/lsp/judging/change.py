"""What has happened to the texts since they were judged last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npu_migrate.lsp.texts.documents import Content


@dataclass(frozen=True, slots=True)
class Change:
    """What has happened since the desk was asked last.

    `contents` are what editors hold by now, None for a file that is not open any more; `on_disk` are files
    and folders that have changed there, and with `look` these have to be found. `again` are open files whose
    last answer nobody could use.
    """

    contents: Mapping[str, Content | None] = field(default_factory=dict)
    on_disk: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    look: bool = False

    def then(self, later: Change) -> Change:
        """This change and a later one as a single one."""
        return Change(
            {**self.contents, **later.contents},
            self.on_disk | later.on_disk,
            self.again | later.again,
            self.look or later.look,
        )
