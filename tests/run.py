#!/usr/bin/env python3
"""Prepares everything the tests need, then runs them all:  python tests/run.py [--quick] [pytest options]

With `--quick` only what takes two minutes together (tests/quick.py); the first environment is enough for it.
Creates these below .cache/ (nothing else is touched):

    tests            this project with its development tools
    tensorflow-1.15  for Python 3.7, found on PATH or under ~/.pyenv/versions
    tensorflow-2.15  for Python 3.9, 3.10 or 3.11, found in the same places
    node             the npm packages of tests/node/, for Node.js 20 or newer
    vscode           the npm packages of editors/vscode/, for the same
    vscode-page      those of tests/editors/vscode_page/

Without a Python for one of the TensorFlows, no script runs under it; without Node.js or another tool
(tests/tools.py), the tests that need it do not run. A line on standard output says so, before the tests and
after them. The exit code is pytest's.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from node_tools import GITHUB_API, NODE, VSCODE, VSCODE_PAGE
from quick import TOOLS_OF_QUICK, left_out_by_quick
from tools import left_out

REPOSITORY = Path(__file__).resolve().parents[1]
CACHE = REPOSITORY / ".cache"
OLDEST_PYTHON = (3, 10)
MOST_WORKERS = 4
"""Each worker may start both TensorFlows, which take memory."""
OLDEST_NODE = 20


class World(NamedTuple):
    """A TensorFlow to run scripts under: its Pythons, best first, and what pip installs."""

    version: str
    pythons: tuple[str, ...]
    requirements: tuple[str, ...]


WORLDS = (
    World("1.15", ("3.7",), ("tensorflow==1.15.5", "protobuf<3.21")),
    World("2.15", ("3.11", "3.10", "3.9"), ("tensorflow-cpu==2.15.1",)),
)


def main(options: list[str]) -> int:
    if sys.version_info < OLDEST_PYTHON:
        print("tests/run.py needs Python 3.10 or newer; this is", sys.version.split()[0])
        return 2
    if {"-h", "--help"} & {*options}:
        print(__doc__)
        return 0
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    python = environment("tests", sys.executable, ("-e", ".[dev]"), stamp=project)
    lines = [*left_out(TOOLS_OF_QUICK), *left_out_by_quick()] if "--quick" in options else prepare_all()
    for line in lines:
        print(line, flush=True)
    compile_all(python, "npu_migrate")
    workers = str(min(os.cpu_count() or 1, MOST_WORKERS))
    words = [python, "-m", "pytest", "-n", workers, "--dist", "loadfile", *options]
    return subprocess.run(words, cwd=REPOSITORY).returncode


def compile_all(python: str, folder: str) -> None:
    """Compiles what is in a folder and has changed: tests start it some thousand times.

    Where Python may not write what it has compiled, each start would take three times as long.
    """
    subprocess.run([python, "-m", "compileall", "-q", folder], cwd=REPOSITORY, check=True)


def prepare_all() -> list[str]:
    """Creates the other environments; a line for each thing that is missing."""
    lines = []
    for world in WORLDS:
        if not prepare(world):
            pythons = " or ".join(world.pythons)
            lines.append(f"LEFT OUT: scripts under TensorFlow {world.version}; found no Python {pythons}")
    if npm := find_npm():
        npm_packages(NODE, REPOSITORY / "tests" / "node", npm)
        keep_alone(GITHUB_API)
        npm_packages(VSCODE, REPOSITORY / "editors" / "vscode", npm)
        npm_packages(VSCODE_PAGE, REPOSITORY / "tests" / "editors" / "vscode_page", npm)
    return lines + left_out()


def prepare(world: World) -> bool:
    """Creates the world's environment; False if there is no Python for it."""
    python = next(filter(None, map(find_python, world.pythons)), None)
    if python is None:
        return False
    inside = environment(f"tensorflow-{world.version}", python, world.requirements)
    compile_all(inside, "npu_migrate/rehearsal/inside")
    return True


def find_python(version: str) -> str | None:
    """A working Python of that version: from PATH, else the newest below ~/.pyenv/versions."""
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python"), key=patch_number)
    for candidate in (shutil.which(f"python{version}"), *reversed(installed)):
        if candidate and answers(str(candidate), version):
            return str(candidate)
    return None


def patch_number(python: Path) -> int:
    patch = python.parents[1].name.rpartition(".")[2]
    return int(patch) if patch.isdigit() else -1


def answers(python: str, version: str) -> bool:
    """Whether it starts (a pyenv shim may not) and is what its name says."""
    asked = [python, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
    result = subprocess.run(asked, capture_output=True, text=True)
    return result.returncode == 0 and result.stdout.strip() == version


def environment(name: str, python: str, requirements: tuple[str, ...], stamp: str = "") -> str:
    """The Python of an environment below .cache/ that has `requirements`; made again when they change."""
    folder = CACHE / name
    inside = str(folder / "bin" / "python")
    wanted = hashlib.sha256("\n".join([python, *requirements, stamp]).encode()).hexdigest()
    mark = folder / "prepared"
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"preparing {folder.relative_to(REPOSITORY)}: {' '.join(requirements)}", flush=True)
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True, env=clean)
        install = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
        subprocess.run(install, cwd=REPOSITORY, check=True, env=clean)
        mark.write_text(wanted)
    return inside


def find_npm() -> str | None:
    """npm, if it is there with a Node.js that is new enough."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    major = version.lstrip("v").partition(".")[0]
    return npm if major.isdigit() and int(major) >= OLDEST_NODE else None


def npm_packages(folder: Path, source: Path, npm: str) -> None:
    """Installs into `folder` what the lock file in `source` names; again when something there changes."""
    names = ("package.json", "package-lock.json", ".npmrc")
    files = [source / name for name in names if (source / name).is_file()]
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    mark = folder / "prepared"
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"preparing {folder.relative_to(REPOSITORY)}: npm ci", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in files:
            shutil.copy(file, folder)
        install = [npm, "ci", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        subprocess.run(install, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        mark.write_text(wanted)


def keep_alone(file: Path) -> None:
    """Removes the other files of that kind from the folder of a file that is there."""
    for other in file.parent.glob(f"*{file.suffix}"):
        if other != file:
            other.unlink()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
