"""``python …/inside REQUEST.json`` rehearses a script; see `rehearsing.rehearse`."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

NAME = "npu_rehearsal"
"""What the package is called in the user's process; a script's own modules may have any other name."""


def load() -> Any:
    """The module `rehearsing` of the package in this folder."""
    here = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        NAME, str(here / "__init__.py"), submodule_search_locations=[str(here)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    return importlib.import_module(NAME + ".rehearsing")


if __name__ == "__main__":
    # Python puts the folder that it starts in front; nothing may find our modules by their bare names.
    del sys.path[0]
    sys.exit(load().rehearse(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
