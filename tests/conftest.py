"""The prepared TensorFlow processes, and which tests are left out: that is always said."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
from collections.abc import Iterator

import pytest
from quick import TOOLS_OF_QUICK, is_quick, left_out_by_quick
from runtime.worlds import INTERPRETERS, World, Worlds, available_worlds
from scheduling import CasesTogether, in_order
from tools import TOOLS, left_out, needs
from xdist.remote import Producer

from npu_migrate.languages.choosing import ENGLISH, LOCALE_VARIABLES, VARIABLE, known

_CACHE = tempfile.TemporaryDirectory(prefix="npu-migrate-cache-")
os.environ["NPU_MIGRATE_CACHE_DIR"] = _CACHE.name
"""No test reads what an earlier run has kept, or leaves anything behind."""

os.environ.pop(VARIABLE, None)
os.environ.update(
    {name: "C.UTF-8" for name in LOCALE_VARIABLES if known(os.environ.get(name)) not in (None, ENGLISH)}
)
"""The tool speaks English in the tests, whoever runs them."""


@pytest.fixture(scope="session")
def worlds() -> Iterator[Worlds]:
    """A running process for each TensorFlow that is there, by version."""
    running = {version: World(version) for version in available_worlds()}
    yield running
    for world in running.values():
        world.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what takes long (tests/quick.py)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*tools): uses tools of tests/tools.py; left out without them")
    config.addinivalue_line("markers", "long: takes seconds; left out by --quick (tests/quick.py)")
    # In the background of a shell it is ignored, and so it would be by the processes that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> CasesTogether | None:
    """Who hands out the tests to several processes."""
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return CasesTogether(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests whose tools are missing, and those that are not quick; the summary says so."""
    missing = {name for name, tool in TOOLS.items() if not tool.is_there()}
    everything = not config.getoption("quick")
    kept = [item for item in items if not missing & needs(item) and (everything or is_quick(item))]
    if len(kept) < len(items):
        known = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in known])
        items[:] = kept
    if hasattr(config, "workerinput"):
        items[:] = in_order(items)


def pytest_collection_finish() -> None:
    """No later collection of garbage looks through the tests, of which there are some ten thousand."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("quick"):
        for line in (*left_out(TOOLS_OF_QUICK), *left_out_by_quick()):
            terminalreporter.write_line(line)
        return
    for world in sorted(INTERPRETERS.keys() - set(available_worlds())):
        terminalreporter.write_line(
            f"LEFT OUT: scripts under TensorFlow {world} (no Python is prepared for it)"
        )
    for line in left_out():
        terminalreporter.write_line(line)
