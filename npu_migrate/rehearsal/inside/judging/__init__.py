"""One module for each group of the NPU's rules. A judge is a function from what is known to verdicts."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ..events import Verdict
from ..sessions import Session


def of_options(session: Session, tables: Mapping[str, Any]) -> Iterator[Verdict]:
    """What is wrong with a session's options before anything runs."""
    return iter(())
