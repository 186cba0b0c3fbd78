"""The prepared TensorFlow processes, and what is said about TensorFlows and tools that are missing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest
from runtime.worlds import INTERPRETERS, World, Worlds, available_worlds
from tools import TOOLS, left_out

_CACHE = tempfile.TemporaryDirectory(prefix="npu-migrate-cache-")
os.environ["NPU_MIGRATE_CACHE_DIR"] = _CACHE.name
"""No test reads what an earlier run has kept, or leaves anything behind."""


@pytest.fixture(scope="session")
def worlds() -> Iterator[Worlds]:
    """A running process for each TensorFlow that is there, by version."""
    running = {version: World(version) for version in available_worlds()}
    yield running
    for world in running.values():
        world.close()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*tools): uses tools of tests/tools.py; left out without them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests whose tools are missing; the summary names the tools."""
    missing = {name for name, tool in TOOLS.items() if not tool.is_there()}
    dropped = [item for item in items if missing & needs(item)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if not missing & needs(item)]


def needs(item: pytest.Item) -> set[str]:
    """The tools that a test is marked with; a name that `TOOLS` does not have is an error."""
    names = {name for mark in item.iter_markers("needs") for name in mark.args}
    assert names <= TOOLS.keys(), f"{item.nodeid} needs unknown tools: {names - TOOLS.keys()}"
    return names


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for world in sorted(INTERPRETERS.keys() - set(available_worlds())):
        terminalreporter.write_line(
            f"LEFT OUT: scripts under TensorFlow {world} (no Python is prepared for it)"
        )
    for line in left_out():
        terminalreporter.write_line(line)
