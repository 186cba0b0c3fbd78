"""`ScopedGraphManager`: the graphs of a block leave the device at its end."""

from __future__ import annotations

from typing import Any


class ScopedGraphManager:
    def __enter__(self) -> ScopedGraphManager:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass
