"""A server that fails at every text that says so."""

from __future__ import annotations

from npu_migrate.engine import live
from npu_migrate.index.indexing import Indexed, Sheet, index_sheet
from npu_migrate.lsp.command import main


def fail(sheet: Sheet) -> Indexed:
    """Builds the facts of a file, with a fault."""
    print("something prints")
    if "FAULT" in sheet.text:
        raise ZeroDivisionError("a fault")
    return index_sheet(sheet)


if __name__ == "__main__":
    live.index_sheet = fail
    main()
