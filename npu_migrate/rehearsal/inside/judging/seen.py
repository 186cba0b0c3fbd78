"""What a judge is given."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from ..graphs.marks import Marks
from ..graphs.pruning import Pruned
from ..places import Place, Places
from ..sessions.sessions import KnownRun, Session


class Seen(NamedTuple):
    """A run that has not been judged yet, at `place`, in a session that reaches the NPU."""

    session: Session
    run: KnownRun
    marks: Marks
    places: Places
    place: Place | None
    tables: Mapping[str, Any]

    @property
    def pruned(self) -> Pruned:
        """The operations of the run."""
        return self.run.pruned

    def line_of(self, operation: Any) -> Place | None:
        """The line that made `operation`, or else the line of the run."""
        return self.places.of_operation(operation) or self.place
