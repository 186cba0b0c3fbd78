"""Look-ups in one table are made one: here they stay several. REC-CODE:mx_rec/graph/merge_lookup.py."""

from __future__ import annotations


def do_merge_lookup(is_train: bool = True) -> None:
    pass
