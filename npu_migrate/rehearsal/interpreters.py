"""Which Python has TensorFlow: the one that is named, or the first in the active environment that has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

CANDIDATES = ("python", "python3", "python3.7")
"""The names that are looked for, in this order, where nobody has named a Python."""

OLDEST = (3, 7)

_PROBE = """\
import json, sys
try:
    from importlib.util import find_spec
    found = find_spec("tensorflow") is not None
except ImportError:
    found = False
print(json.dumps([list(sys.version_info[:2]), found]))
"""
_SECONDS = 60

_HOW_TO = (
    'install TensorFlow there: pip install "tensorflow==1.15.5" "protobuf<3.21" on Python 3.7, '
    'or "tensorflow==2.15.*" on Python 3.9 to 3.11'
)


class NoTensorFlow(Exception):
    """No Python can run the script; the text is one line that says what to do."""


class Probed(NamedTuple):
    """A Python that was asked: its version, and whether it finds TensorFlow."""

    version: tuple[int, int]
    tensorflow: bool

    @property
    def can_rehearse(self) -> bool:
        """Whether a script can be rehearsed with it."""
        return self.tensorflow and self.version >= OLDEST


def named_interpreter(name: str, origin: str) -> str:
    """The Python `name`, a path or a command, as an absolute path. Raises `NoTensorFlow`, with `origin`."""
    found = shutil.which(os.path.expanduser(name))  # noqa: PTH111 - `name` may be a command
    if found is None:
        inside = Path(name).expanduser() / "bin" / "python"
        if inside.exists():
            raise NoTensorFlow(f"{origin}: {name} is a folder; name {Path(name, 'bin', 'python')}")
        raise NoTensorFlow(f"{origin}: {name} is no program that can be started")
    probed = probe(found)
    if probed is None:
        raise NoTensorFlow(f"{origin}: {name} is not a Python that can be started")
    if probed.version < OLDEST:
        version = ".".join(map(str, probed.version))
        raise NoTensorFlow(f"{origin}: {name} is Python {version}; a rehearsal needs Python 3.7 or newer")
    if not probed.tensorflow:
        raise NoTensorFlow(f"{origin}: {name} has no TensorFlow; {_HOW_TO}")
    return str(Path(found).absolute())


def found_interpreter(
    names: Iterable[str] = CANDIDATES, which: Callable[[str], str | None] = shutil.which
) -> str:
    """The first of `names` that is a Python with TensorFlow. Raises `NoTensorFlow`."""
    for name in names:
        found = which(name)
        probed = None if found is None else probe(found)
        if found is not None and probed is not None and probed.can_rehearse:
            return str(Path(found).absolute())
    raise NoTensorFlow(
        f"no Python with TensorFlow was found (looked at {', '.join(names)}); make an environment for it "
        '(Python 3.7: pip install "tensorflow==1.15.5" "protobuf<3.21"; Python 3.9 to 3.11: '
        'pip install "tensorflow==2.15.*") and name its Python with --python or the setting rehearsal-python'
    )


def probe(python: str) -> Probed | None:
    """What `python` says of itself; None for a program that is no Python. TensorFlow is not imported."""
    try:
        asked = subprocess.run(
            [python, "-c", _PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
        version, tensorflow = json.loads(asked.stdout)
        return Probed((int(version[0]), int(version[1])), bool(tensorflow))
    except (OSError, ValueError, TypeError, subprocess.TimeoutExpired):
        return None
