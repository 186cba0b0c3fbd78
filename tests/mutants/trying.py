"""Runs tests in a process of its own, with one module of the package replaced; see tests/mutation.py.

The process is a fork of one that has imported everything but the package and the tests, so that a mutant
costs no more than the import of the package and the tests that are chosen for it.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import io
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

import pytest

PACKAGE = "npu_migrate"
ROOMS = ("rewrite", "rules")
LONG_TESTS = tuple(
    f"tests/rewrite/test_real_code.py::test_random_intents_{name}"
    for name in ("on_the_standard_library", "with_other_newlines")
)
"""Left out: they run the same code on hundreds of files, which takes too long for each mutant."""
MEMORY = 3 << 30

Lines = frozenset[tuple[str, int]]
"""Module (a path below the package) and line."""


class Covered(NamedTuple):
    """A test, the lines of the rooms that run in it, and how many seconds it takes."""

    name: str
    lines: Lines
    seconds: float


class Failure(Exception):
    """A fixture case that no longer gives what it must."""


# Processes.


def in_fork(work: Callable[[], object], cpu_seconds: int, wall_seconds: float) -> object:
    """What `work` returns (JSON), run in a fork; "time" if it takes too long, "crash" if the process dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_small(cpu_seconds)
        result = json.dumps(_quietly(work))
        with os.fdopen(writing, "w") as out:
            out.write(result)
        os._exit(0)
    os.close(writing)
    answer = _read(reading, time.monotonic() + wall_seconds)
    if answer is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if answer is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)):
        return "time"
    return json.loads(answer) if answer else "crash"


def _be_small(cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _quietly(work: Callable[[], object]) -> object:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            return work()
        except BaseException as error:
            return f"{type(error).__name__}: {error}"[:200]


def _read(reading: int, deadline: float) -> str | None:
    """All of a pipe; ``None`` if it is still open at the deadline."""
    import select

    parts = []
    with os.fdopen(reading, "rb") as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                return None
            part = os.read(pipe.fileno(), 1 << 16)
            if not part:
                return b"".join(parts).decode()
            parts.append(part)


# The mutant.


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and gives it another code."""

    def __init__(self, name: str, file: Path, code: CodeType) -> None:
        self._name, self._file, self._code = name, file, code

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        packages = [str(self._file.parent)] if self._file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self._file, loader=self, submodule_search_locations=packages
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)


def replace_module(package: Path, module: str, code: str) -> None:
    """From now on, importing the module gives `code`."""
    assert PACKAGE not in sys.modules
    parts = Path(module).with_suffix("").parts
    name = ".".join((PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)))
    file = package / module
    sys.meta_path.insert(0, _Mutated(name, file, compile(code, str(file), "exec")))


# The tests.


def run_cases(names: Sequence[str]) -> str | None:
    """The first of these fixture cases that fails, with the reason; ``None`` if all pass."""
    for name in names:
        try:
            check_case(name)
        except Exception as error:
            return f"{name}: {error}"[:200]
    return None


def check_case(name: str) -> None:
    """One case through the command line, as in tests/test_fixtures.py, at the levels it has fixes for."""
    from command import folder_with, tool
    from fidelity import read_tree
    from fixture_cases import FIXTURES, Case
    from test_fixtures import report_lines, reported

    case = Case(FIXTURES / name)
    with folder_with(case.before):
        found = report_lines(reported("--no-cache"))
    if found != case.report:
        raise Failure("other findings")
    for stage, level, options in (
        (case.after, "safe", ()),
        (case.after_unsafe, "unsafe", ("--unsafe-fixes",)),
    ):
        if not any(line.endswith((" safe", f" {level}")) for line in case.findings):
            continue
        with folder_with(case.before) as folder:
            tool(".", "--write", "--no-cache", *options)
            if read_tree(folder) != stage:
                raise Failure(f"other files after the {level} fixes")


def run_tests(names: Sequence[str]) -> str | None:
    """The first of these tests of pytest that fails; ``None`` if all pass."""
    watch = _Watch()
    code = _pytest(["-x", "--assert=plain", *names], watch)
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and not watch.failed:
        return None
    return watch.failed or f"pytest: exit code {int(code)}"


def cover_tests(package: Path, paths: Sequence[str]) -> list[Covered]:
    """Each test of these files and folders, with what it runs."""
    watch = _Watch(package)
    code = _pytest([*(f"--deselect={test}" for test in LONG_TESTS), *paths], watch)
    assert code == pytest.ExitCode.OK, f"the tests fail without a mutant: {watch.failed}"
    return watch.covered


def cover_case(package: Path, name: str) -> Covered:
    """One fixture case, with what it runs."""
    tracer = _Tracer(package)
    started = time.perf_counter()
    with tracer:
        check_case(name)
    return Covered(name, frozenset(tracer.lines), time.perf_counter() - started)


def _pytest(arguments: list[str], watch: _Watch) -> int:
    from hypothesis import HealthCheck, settings

    unhurried = [HealthCheck.too_slow]
    settings.register_profile(
        "mutants", derandomize=True, database=None, deadline=None, suppress_health_check=unhurried
    )
    settings.load_profile("mutants")
    return pytest.main(["-p", "no:cacheprovider", *arguments], plugins=[watch])


class _Watch:
    """A plugin of pytest: which test fails; with a package also what each runs."""

    def __init__(self, package: Path | None = None) -> None:
        self.failed: str | None = None
        self.covered: list[Covered] = []
        self._package = package

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        if self._package is None:
            return (yield)
        tracer = _Tracer(self._package)
        started = time.perf_counter()
        with tracer:
            result = yield
        self.covered.append(Covered(item.nodeid, frozenset(tracer.lines), time.perf_counter() - started))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.failed is None:
            self.failed = f"collecting {report.nodeid}"


class _Tracer:
    """Notes which lines of the rooms run."""

    def __init__(self, package: Path) -> None:
        self.lines: set[tuple[str, int]] = set()
        self._prefix = f"{package}/"
        self._modules: dict[CodeType, str | None] = {}

    def __enter__(self) -> None:
        sys.settrace(self._call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        if code not in self._modules:
            module = code.co_filename.removeprefix(self._prefix)
            self._modules[code] = module if module.startswith(ROOMS) else None
        module = self._modules[code]
        if module is None:
            return None
        lines = self.lines

        def line(frame: FrameType, event: str, argument: object) -> Any:
            lines.add((module, frame.f_lineno))
            return line

        return line


def by_line(covered: Sequence[Covered]) -> Mapping[tuple[str, int], list[Covered]]:
    """For each line, the tests in which it runs, the quickest first."""
    result: dict[tuple[str, int], list[Covered]] = {}
    for test in sorted(covered, key=lambda one: one.seconds):
        for line in test.lines:
            result.setdefault(line, []).append(test)
    return result
