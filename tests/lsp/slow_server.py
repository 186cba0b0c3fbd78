"""A server that needs some seconds for each answer, as in a tree of a million files."""

from __future__ import annotations

import time
from typing import Any

from npu_migrate.lsp.command import main
from npu_migrate.lsp.judging.desk import Desk
from npu_migrate.lsp.session import analysis

SECONDS = 3.0
judge = Desk.judge


def judge_slowly(self: Desk, *question: Any) -> Any:
    """What is found, some time later."""
    time.sleep(SECONDS)
    return judge(self, *question)


if __name__ == "__main__":
    analysis.NOTICED = 0.01
    Desk.judge = judge_slowly  # type: ignore[method-assign]
    main()
