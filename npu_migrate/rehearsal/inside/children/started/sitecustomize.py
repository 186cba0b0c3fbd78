"""Python imports this when it starts: other Python processes that a script starts are watched as well.

They are so from their first import of TensorFlow or of one of the NPU's packages on; a process that needs
neither, or is a Python without TensorFlow, is as it would be. Until then this folder is in front of the
search path, so nothing else may lie in it.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys


def _import_installed() -> None:
    """Import the `sitecustomize` that this one stands before, if there is any."""
    here = os.path.dirname(os.path.abspath(__file__))
    own = sys.modules.pop("sitecustomize", None)
    paths = list(sys.path)
    sys.path[:] = [path for path in paths if os.path.abspath(path) != here]
    try:
        __import__("sitecustomize")
    except ImportError:
        if own is not None:
            sys.modules["sitecustomize"] = own
    finally:
        sys.path[:] = [path for path in paths if os.path.abspath(path) != here]


def _watch(request: str) -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    name = "npu_rehearsal"
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(root, "__init__.py"), submodule_search_locations=[root]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    importlib.import_module(name + ".children.child").wait(request)


_import_installed()
if sys.version_info >= (3, 7) and os.path.exists(os.environ.get("NPU_REHEARSAL_REQUEST", "")):
    _watch(os.environ["NPU_REHEARSAL_REQUEST"])
