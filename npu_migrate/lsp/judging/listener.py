"""Who is told what the analysis has to say besides its findings."""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """It is told what is noticed while projects are analysed, and is no finding."""

    def complain(self, message: str) -> None:
        """What is wrong with settings; the user has to put it right."""

    def report(self, error: Exception) -> None:
        """Which exception the analysis has raised; it should not."""

    def watch(self, key: str) -> None:
        """Which file besides those of the projects is looked at, so that its changes matter."""
