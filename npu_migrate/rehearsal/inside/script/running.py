"""A script runs as ``python script.py`` would run it; its traceback and exit code are its own."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import re
import sys
import traceback
import types
from typing import Any, NamedTuple

from ..requests import Request
from .imports import lacking

_INSIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_FRAME = re.compile(r' *File "/?' + re.escape(_INSIDE.lstrip(os.sep)))
"""A frame of this package; TensorFlow leaves out the first slash."""

_STARTER = re.compile(
    r' *File "(?:[^"]*/runpy\.py|<frozen runpy>)"|    exec\(code, run_globals\)|    "__main__", mod_spec\)'
)
"""A frame, or its text, of the module that has started this package."""


class Ended(NamedTuple):
    """How a script ended: its exit code, and the exception that did not come from `sys.exit`."""

    code: int
    error: BaseException | None
    stop: SystemExit | None = None


def find_modules_of(script: str) -> None:
    """From now on modules are looked for beside the script first, as ``python script.py`` does."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.path.dirname(os.path.realpath(script)))


def run_script(request: Request) -> Ended:
    """Run the script, and print the traceback of its error."""
    path = request.script
    os.chdir(request.folder)
    named = _as_typed(request)
    sys.argv = [named, *request.arguments]
    main = types.ModuleType("__main__")
    # Since Python 3.9 it is absolute.
    main.__file__ = named if sys.version_info < (3, 9) else os.path.abspath(path)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", main.__file__)
    main.__dict__.update(__builtins__=builtins, __annotations__={}, __cached__=None)
    started = sys.modules["__main__"]
    # It has a second name where `multiprocessing` was imported already.
    for name in [name for name, module in list(sys.modules.items()) if module is started]:
        sys.modules[name] = main
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        exec(code, main.__dict__)
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return Ended(stop.code or 0, None, stop)
        sys.stderr.write(str(stop.code) + "\n")
        return Ended(1, None, stop)
    except KeyboardInterrupt as interrupt:
        return Ended(130, interrupt)
    except BaseException as error:
        sys.stdout.flush()
        sys.stderr.write(_with_own_paths(_traceback_of(error), request))
        lack = lacking(error)
        if lack is not None:
            sys.stderr.write(lack + "\n")
        return Ended(1, error)
    return Ended(0, None)


def _as_typed(request: Request) -> str:
    """What stands in `sys.argv`: the script as the user has named it, if that leads to it."""
    typed = request.typed
    leads = bool(typed) and os.path.realpath(typed) == os.path.realpath(request.script)
    return typed if leads else request.script


def _with_own_paths(text: str, request: Request) -> str:
    """`text` with the user's own folder in place of the copy that was run."""
    if not request.origin or request.origin == request.root:
        return text
    return text.replace(os.path.join(request.root, ""), os.path.join(request.origin, ""))


def _traceback_of(error: BaseException) -> str:
    """The traceback without the frames of this package, also where TensorFlow quotes them in its messages."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    parts: list[str] = []
    ours: list[bool] = []
    for line in text.splitlines(True):
        if parts and ours[-1] and line.startswith("    "):
            # The text of the line of code.
            continue
        own = _FRAME.match(line) is not None
        if own:
            while parts and _STARTER.match(parts[-1]):
                parts.pop()
                ours.pop()
        parts.append(line)
        ours.append(own)
    return "".join(line for line, own in zip(parts, ours) if not own)


def is_refusal(error: Any) -> bool:
    """Whether an error is what the NPU's runtime says, or was made of it."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if getattr(error, "_npu_rehearsal_refused", False):
            return True
        error = error.__cause__ or error.__context__
    return False
