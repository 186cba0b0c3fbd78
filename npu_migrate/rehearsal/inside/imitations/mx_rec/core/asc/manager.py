"""The start of the pipeline of keys."""

from __future__ import annotations


def start_asc_pipeline() -> None:
    pass
