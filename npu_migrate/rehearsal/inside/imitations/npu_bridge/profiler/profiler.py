"""`Profiler`: there is no device here whose times it could take."""

from __future__ import annotations

from typing import Any


class Profiler:
    def __init__(self, *, level: str = "L0", aic_metrics: str = "", output_path: str = "") -> None:
        for name, value in (("level", level), ("aic_metrics", aic_metrics), ("output_path", output_path)):
            if not isinstance(value, str):
                raise ValueError(f"Option {name} should be str, but get type: {type(value)}")

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass
