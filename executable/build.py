#!/usr/bin/env python3
"""Makes npu-migrate one file that needs no Python:  python3 executable/build.py [--output FOLDER]

The Python that runs this goes into the file, with what `requirements.txt` names, so it is for this machine's
architecture. PyInstaller needs a Python that was built with a shared library. The last line says which glibc
the file needs, at least that of its Python and of LibCST: `--most-glibc 2.17` makes a newer one than 2.17 an
error. What is made in between is kept below .cache/executable.

The exit code is 2 if this Python cannot be used, and 1 for all else that fails.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
WORK = HERE.parent / ".cache" / "executable"
OLDEST_PYTHON = (3, 11)
"""Below it, more packages are needed than `requirements.txt` has."""

Version = tuple[int, int]


def main(words: list[str]) -> int:
    """Build as the options say; returns the exit code."""
    parser = argparse.ArgumentParser(description="Makes npu-migrate one file that needs no Python.")
    parser.add_argument("--output", type=Path, default=WORK / "dist", help="folder for the executable")
    parser.add_argument("--work", type=Path, default=WORK, help="folder for all else that is made")
    parser.add_argument("--most-glibc", type=version_of, metavar="X.Y", help="the newest glibc it may need")
    options = parser.parse_args(words)
    missing = wrong_with_this_python()
    if missing is not None:
        print(f"executable/build.py: {missing}", file=sys.stderr)
        return 2
    python = environment(options.work / "environment")
    work = options.work / "pyinstaller"
    command = [python, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    folders = ["--distpath", str(options.output), "--workpath", str(work)]
    # The order of sets would make each build another file.
    built = subprocess.run(
        [*command, *folders, str(HERE / "npu-migrate.spec")],
        cwd=HERE,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )
    if built.returncode != 0:
        return 1
    executable = options.output / "npu-migrate"
    least = least_glibc([executable, *listed(work / "npu-migrate" / "binaries.txt")])
    size = executable.stat().st_size / 1e6
    print(
        f"{executable}: {size:.1f} MB, for Linux {platform.machine()}, glibc {least[0]}.{least[1]} or newer"
    )
    if options.most_glibc is not None and least > options.most_glibc:
        print("executable/build.py: that is newer than --most-glibc", file=sys.stderr)
        return 1
    return 0


def wrong_with_this_python() -> str | None:
    """Why the Python that runs this cannot be in an executable."""
    if sys.platform != "linux":
        return "the executable is for Linux only"
    if sys.version_info < OLDEST_PYTHON:
        return f"needs Python 3.11 or newer, and this is {platform.python_version()}"
    library = sysconfig.get_config_var("INSTSONAME")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED") or not str(library).startswith("libpython"):
        return f"{sys.executable} has no shared library (libpython); the Pythons of Debian and uv have one"
    return None


def environment(folder: Path) -> str:
    """The Python of an environment with all that `requirements.txt` names; made again when that changes."""
    python = str(folder / "bin" / "python")
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.executable.encode()).hexdigest()
    mark = folder / "prepared"
    if not mark.is_file() or mark.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", str(REQUIREMENTS)]
        subprocess.run(install, check=True)
        mark.write_text(wanted)
    return python


def listed(file: Path) -> list[Path]:
    """The files whose names are the lines of `file`."""
    return [Path(line) for line in file.read_text("utf-8").splitlines()]


def least_glibc(files: Iterable[Path]) -> Version:
    """The oldest glibc that has all symbols which these programs and libraries name."""
    found = (re.findall(rb"GLIBC_(\d+)\.(\d+)\b", file.read_bytes()) for file in files)
    return max((int(major), int(minor)) for versions in found for major, minor in versions)


def version_of(text: str) -> Version:
    """The version ``X.Y``. Raises `ValueError` for anything else."""
    major, minor = text.split(".")
    return int(major), int(minor)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
