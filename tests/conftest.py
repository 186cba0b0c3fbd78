"""The prepared TensorFlow processes, and what is said about those that are missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from runtime.worlds import INTERPRETERS, World, Worlds, available_worlds


@pytest.fixture(scope="session")
def worlds() -> Iterator[Worlds]:
    """A running process for each TensorFlow that is there, by version."""
    running = {version: World(version) for version in available_worlds()}
    yield running
    for world in running.values():
        world.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for world in sorted(INTERPRETERS.keys() - set(available_worlds())):
        terminalreporter.write_line(
            f"LEFT OUT: scripts under TensorFlow {world} (no Python is prepared for it)"
        )
