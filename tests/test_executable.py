"""What goes into the executable, how it begins, and what an image is made from.

`.ci/run` builds and tries it.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from npu_migrate.cache.answers import question_of
from npu_migrate.cache.identity import tool_identity
from npu_migrate.reports.formats import FORMATS
from npu_migrate.rules import CODES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "npu_migrate"
FOLDER = REPOSITORY / "executable"
NOT_IN_IT = {"pyyaml", "pyyaml-ft", "tomli"}
"""LibCST names the first two, for its own command; the last is for older Pythons than goes into it."""


def script(name: str) -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / name))


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def test_each_file_of_the_package_goes_into_it() -> None:
    contents = script("contents.py")
    places = {Path(source): folder for source, folder in contents["data_files"]()}
    modules = {*contents["modules"]()}
    lost = []
    for file in PACKAGE.rglob("*"):
        inside = file.relative_to(PACKAGE).parts
        if not file.is_file() or "__pycache__" in inside or inside[0] in contents["LEFT_OUT"]:
            continue
        if file in places:
            assert places[file] == str(file.parent.relative_to(REPOSITORY))
        elif ".".join(("npu_migrate", *file.relative_to(PACKAGE).with_suffix("").parts)) not in modules:
            lost.append(file.relative_to(PACKAGE))
    assert [one for one in lost if one.name != "__init__.py"] == []


def test_what_another_python_runs_lies_on_the_disk() -> None:
    contents = script("contents.py")
    places = {source for source, _ in contents["data_files"]()}
    for folder in ("rehearsal/inside", "templates", "reports/html/templates", "reports/schema"):
        files = [one for one in (PACKAGE / folder).rglob("*") if one.is_file() and one.suffix != ".pyc"]
        assert files and {*map(str, files)} <= places
    assert str(PACKAGE / "settings.schema.json") in places
    assert not [one for one in contents["modules"]() if ".inside" in one or ".templates" in one]


def test_modules_with_names_that_are_made_in_a_run_go_into_it() -> None:
    modules = {*script("contents.py")["modules"]()}
    assert {f"npu_migrate.rules.{code.lower()}" for code in CODES} <= modules
    made = {f"npu_migrate.reports.{one.function.rpartition('.')[0]}" for one in FORMATS.values()}
    assert made <= modules


def test_its_modules_can_do_without_what_is_left_out() -> None:
    contents = script("contents.py")
    program = f"""
import sys
from importlib import import_module

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name in {contents["NOT_NEEDED"]!r}:
            raise ModuleNotFoundError(f"no {{name}} in the executable", name=name)

for name in {contents["NOT_NEEDED"]!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Gone())
for name in {contents["modules"]()!r}:
    if name != "npu_migrate.engine.processes.cluster" and not name.endswith("__main__"):
        import_module(name)
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_it_has_the_commands_of_the_package() -> None:
    commands = {name: f"{module}:main" for name, module in script("begin.py")["COMMANDS"].items()}
    without_network = {
        name: one for name, one in project()["scripts"].items() if name != "npu-migrate-review"
    }
    assert commands == without_network


@pytest.mark.parametrize(
    ("arguments", "module", "left"),
    [
        (["npu-migrate", "src"], "start", ["npu-migrate", "src"]),
        (["./npu-migrate-linux-x86_64", "src"], "start", ["npu-migrate-linux-x86_64", "src"]),
        (["/opt/npu-rehearse", "a.py"], "commands.rehearsing.command", ["npu-rehearse", "a.py"]),
        (["npu-migrate", "npu-rehearse", "a.py"], "commands.rehearsing.command", ["npu-rehearse", "a.py"]),
        (["/x/tool", "npu-migrate-lsp"], "lsp.command", ["npu-migrate-lsp"]),
        (["npu-migrate", "./npu-rehearse"], "start", ["npu-migrate", "./npu-rehearse"]),
        (["npu-rehearse", "npu-migrate"], "commands.rehearsing.command", ["npu-rehearse", "npu-migrate"]),
        (["npu-migrate"], "start", ["npu-migrate"]),
    ],
)
def test_its_name_or_its_first_argument_tells_the_command(
    arguments: list[str], module: str, left: list[str]
) -> None:
    assert script("begin.py")["command_of"](arguments) == (f"npu_migrate.{module}", left)


def test_other_programs_find_their_own_libraries() -> None:
    restore = script("begin.py")["restore_libraries"]
    for before, after in (
        ({"LD_LIBRARY_PATH": "/tmp/unpacked"}, {}),
        (
            {"LD_LIBRARY_PATH": "/tmp/unpacked:/mine", "LD_LIBRARY_PATH_ORIG": "/mine"},
            {"LD_LIBRARY_PATH": "/mine"},
        ),
    ):
        restore(before)
        assert before == after


def needed(requirements: list[str], extras: frozenset[str] = frozenset()) -> Iterator[Requirement]:
    """The requirements, and those of what they name, as they are for a new Python."""
    for text in requirements:
        one = Requirement(text)
        wanted = [{"python_version": "3.13", "extra": extra} for extra in ("", *extras)]
        if one.marker is None or any(map(one.marker.evaluate, wanted)):
            yield one
            if canonicalize_name(one.name) not in NOT_IN_IT:
                yield from needed(requires(one.name) or [], frozenset(one.extras))


def test_each_dependency_is_pinned() -> None:
    lines = (FOLDER / "requirements.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert "pyinstaller" in pinned
    asked = [*needed(project()["dependencies"] + project()["optional-dependencies"]["lsp"])]
    missing = {canonicalize_name(one.name) for one in asked} - pinned.keys()
    assert missing <= NOT_IN_IT
    wrong = [
        str(one)
        for one in asked
        if (name := canonicalize_name(one.name)) in pinned and pinned[name] not in one.specifier
    ]
    assert wrong == []


def test_the_build_tells_the_least_glibc(tmp_path: Path) -> None:
    build = script("build.py")
    files = [tmp_path / "one", tmp_path / "other"]
    files[0].write_bytes(b"\0GLIBC_2.2.5\0GLIBC_2.17\0")
    files[1].write_bytes(b"\0GLIBC_2.9\0GLIBC_PRIVATE\0")
    assert build["least_glibc"](files) == (2, 17)
    assert build["version_of"]("2.28") == (2, 28)


def test_the_executable_is_one_tool_wherever_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    executable = tmp_path / "npu-migrate"
    executable.write_bytes(b"one")
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(executable))
    first = question_of(["."]), tool_identity()
    monkeypatch.setattr("npu_migrate.cache.answers._PACKAGE", str(tmp_path / "gone"))
    monkeypatch.setattr("npu_migrate.cache.identity._PACKAGE", str(tmp_path / "gone"))
    monkeypatch.syspath_prepend(tmp_path)
    assert (question_of(["."]), tool_identity()) == first
    assert None not in first
    executable.write_bytes(b"another")
    second = question_of(["."]), tool_identity()
    assert not {*first} & {*second}


def instructions(dockerfile: Path) -> list[list[str]]:
    text = dockerfile.read_text("utf-8").replace("\\\n", " ")
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("name", ["Dockerfile", "executable/Dockerfile"])
def test_an_image_is_made_from_what_is_there(name: str) -> None:
    sent = (REPOSITORY / ".dockerignore").read_text("utf-8").splitlines()
    copied = [
        source
        for word, *words in instructions(REPOSITORY / name)
        if word == "COPY" and not words[0].startswith("--from=")
        for source in words[:-1]
    ]
    assert copied
    assert [one for one in copied if not (REPOSITORY / one).exists() or f"!{one}" not in sent] == []


def test_the_container_runs_the_command_and_not_as_root() -> None:
    lines = instructions(REPOSITORY / "Dockerfile")
    last = lines[max(number for number, line in enumerate(lines) if line[0] == "FROM") :]
    said = {line[0]: line[1:] for line in last}
    assert said["USER"] == ["1000:1000"]
    assert said["ENTRYPOINT"] == ['["npu-migrate"]']
    assert lines[0] == ["FROM", "python:3.13-slim", "AS", "build"]


def test_the_package_can_be_installed_from_what_the_image_copies() -> None:
    """The build reads these files."""
    read = {project()["readme"], *project()["license-files"]}
    copied = {word for line in instructions(REPOSITORY / "Dockerfile") if line[0] == "COPY" for word in line}
    assert read <= copied
