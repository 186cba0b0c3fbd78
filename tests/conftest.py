"""Says at the end of every run under which TensorFlow the scripts did not run."""

from __future__ import annotations

import pytest
from runtime.worlds import INTERPRETERS, available_worlds


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for world in sorted(INTERPRETERS.keys() - set(available_worlds())):
        terminalreporter.write_line(
            f"LEFT OUT: scripts under TensorFlow {world} (no Python is prepared for it)"
        )
