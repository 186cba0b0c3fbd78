"""``if __name__ == "__main__":``: what runs in a file that is started, what in one that is imported."""

from __future__ import annotations

from npu_migrate.index.facts import Constant, Expr, Name, Operation


def is_for_scripts(test: Expr, block: str) -> bool:
    """Whether a block of ``if test:``, ``body`` or ``orelse``, never runs in a file that is imported."""
    return _holds(test, started=False) is (block != "body")


def certainly_runs(test: Expr, block: str, started: bool) -> bool:
    """Whether a block of ``if test:``, ``body`` or ``orelse``, runs in any case in a file that is started, or
    in one that is imported."""
    return _holds(test, started) is (block == "body")


def _holds(test: Expr, started: bool) -> bool | None:
    """Whether a test holds in a file that is started, or in one that is imported; None if that is open."""
    if not isinstance(test, Operation):
        return None
    if test.operator in ("Eq", "NotEq"):
        return started is (test.operator == "Eq") if _asks_for_main(test) else None
    if test.operator not in ("Not", "And", "Or"):
        return None
    held = [_holds(one, started) for one in test.operands]
    if test.operator == "Not":
        return None if held[0] is None else not held[0]
    decides = test.operator == "Or"
    if decides in held:
        return decides
    return None if None in held else not decides


def _asks_for_main(test: Operation) -> bool:
    """Whether ``__name__`` is compared with ``"__main__"``."""
    asked = any(isinstance(one, Name) and one.id == "__name__" for one in test.operands)
    return asked and any(isinstance(one, Constant) and one.value == "__main__" for one in test.operands)
