"""The documentation says what is true: its commands are run, its tables and links are compared."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from runtime.worlds import Job, Worlds, available_worlds, interpreter

from npu_migrate.cli import command
from npu_migrate.commands.rehearsing.command import command as rehearsal
from npu_migrate.engine.request import require_known_codes
from npu_migrate.lsp.session.options import EditorOptions, options_from
from npu_migrate.posting.command import command as posting
from npu_migrate.reports.formats import FORMATS
from npu_migrate.rules import ALL_RULES
from npu_migrate.settings import SettingsError, settings_from

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
CHANGELOG = REPOSITORY / "CHANGELOG.md"
CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"
CHINESE = (REPOSITORY / "README.zh-CN.md", *sorted((DOCS / "zh").glob("*.md")))
PAGES = (REPOSITORY / "README.md", CHANGELOG, *sorted(DOCS.glob("*.md")), *CHINESE)
EXAMPLES = Path("npu_migrate/examples")

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


class Step(NamedTuple):
    """A command of a page and what the page shows as its output."""

    command: str
    output: str


def name_of(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def steps(page: Path) -> Iterator[Step]:
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            yield Step(line, output)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """As much of a clone as the commands of the documentation need, for them to write in."""
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    shutil.copytree(REPOSITORY / EXAMPLES, tmp_path / EXAMPLES, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def printed(arguments: list[str], folder: Path) -> str:
    """What npu-migrate writes to standard output and standard error together."""
    completed = subprocess.run(
        [sys.executable, "-m", "npu_migrate", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return completed.stdout


def test_the_rule_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(DOCS / "generate_rules.py"))["pages"](ALL_RULES)
    kept = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "rules").glob("*.md")}
    assert kept == pages, "run: python docs/generate_rules.py"


def test_the_chinese_rule_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(DOCS / "generate_rules.py"))["chinese_pages"](ALL_RULES)
    kept = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "zh" / "rules").glob("*.md")}
    assert kept == pages, "run: python docs/generate_rules.py"


def test_the_page_on_verdicts_is_up_to_date() -> None:
    page = runpy.run_path(str(DOCS / "generate_rules.py"))["verdicts"](ALL_RULES)
    assert (DOCS / "verdicts.md").read_text(encoding="utf-8") == page, "run: python docs/generate_rules.py"


def test_the_index_has_every_rule() -> None:
    index = (DOCS / "rules" / "index.md").read_text(encoding="utf-8")
    for rule in ALL_RULES:
        assert f"| [{rule.code}]({rule.code}.md) | {rule.name} |" in index


@pytest.mark.parametrize("page", [*PAGES, CONTRIBUTING], ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


OF_OTHERS = frozenset({"--no-format", "--strict", "--python", "--from", "--no-runs", "--sample", "--seed"})
OF_OTHERS |= {"--build-arg", "--file", "--rm", "--spec", "--tag", "--user", "--volume"}
"""Options that pages name of other commands: of LibCST's, of twine, uv, pipx, Docker and the tests' own."""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    parameters = [*command.params, *rehearsal.params, *posting.params]
    options = {option for parameter in parameters for option in parameter.opts} | {"--help", *OF_OTHERS}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= options


def test_every_format_is_documented() -> None:
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[`([a-z-]+)`\]\(#\1\) \|", text, flags=re.MULTILINE)
    assert sorted(listed) == sorted(FORMATS)
    assert sorted(re.findall(r"^## (.*)$", text, flags=re.MULTILINE)) == sorted(FORMATS)


def test_the_changelog_has_every_rule_and_format() -> None:
    text = CHANGELOG.read_text(encoding="utf-8")
    groups = re.findall(r"(NPU\d+) to (NPU\d+)", text)
    codes = [rule.code for rule in ALL_RULES]
    assert [code for code in codes if not any(first <= code <= last for first, last in groups)] == []
    assert {code for group in groups for code in group} <= set(codes)
    assert [name for name in FORMATS if f"`{name}`" not in text] == []


def test_what_contributing_names_is_there() -> None:
    """Its files and folders."""
    named = re.findall(r"`((?:npu_migrate|tests|docs)/[\w/.]*)`", CONTRIBUTING.read_text(encoding="utf-8"))
    assert {"npu_migrate/rules/", "tests/quick.py"} <= set(named)
    assert [name for name in named if not (REPOSITORY / name).exists()] == []


def test_the_settings_are_documented_completely() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `([a-z-]+)` \|", text, flags=re.MULTILINE)
    with pytest.raises(SettingsError, match="the keys are") as error:
        settings_from({"zzzzzz": 1}, "here")
    assert sorted(documented) == str(error.value).partition("the keys are ")[2].split(", ")


def test_the_settings_in_the_documentation_are_valid() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    block, rule = re.findall(r"^```toml\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert tomllib.loads(rule)["rule"][0]["keys"] == ["tool.npu-migrate"]
    settings = settings_from(tomllib.loads(block)["tool"]["npu-migrate"], "configuration.md")
    require_known_codes(settings, ALL_RULES, "configuration.md")


@pytest.mark.parametrize(
    ("language", "file"), [("lua", "neovim/npu_migrate.lua"), ("elisp", "emacs/npu-migrate.el")]
)
def test_the_configurations_of_editors_are_those_that_are_tested(language: str, file: str) -> None:
    text = (DOCS / "editors.md").read_text(encoding="utf-8")
    tested = (REPOSITORY / "editors" / file).read_text(encoding="utf-8")
    assert f"```{language}\n{tested}```" in text


def test_the_configurations_of_editors_can_be_read() -> None:
    text = (DOCS / "editors.md").read_text(encoding="utf-8")
    readers = {"json": json.loads, "toml": tomllib.loads}
    for language, block in re.findall(r"^```(json|toml)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        assert "npuMigrate" in json.dumps(readers[language](block))


def test_the_settings_of_editors_are_documented() -> None:
    text = (DOCS / "editors.md").read_text(encoding="utf-8")
    documented = {
        name: json.loads(default)
        for name, default in re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", text, flags=re.MULTILINE)
    }
    fields = dataclasses.asdict(EditorOptions())
    assert {
        re.sub("[A-Z]", lambda m: "_" + m[0].lower(), name): one for name, one in documented.items()
    } == fields
    options, complaints = options_from(documented, lambda settings: None)
    assert (options, complaints) == (EditorOptions(), ())


def test_the_first_command_of_the_readme(clone: Path) -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    match = re.search(
        r"^```sh\n.* && \S*npu-migrate (.*)\n```.*?^```diff\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    )
    assert match is not None
    assert printed(["--quiet", *match[1].split()], clone) == match[2]


def test_the_steps_of_adoption(clone: Path) -> None:
    """The commands of that page print what it shows, one after the other."""
    for step in steps(DOCS / "adoption.md"):
        program, *arguments = shlex.split(step.command)
        if program == "cp":
            source, copy = clone / arguments[-2], clone / arguments[-1]
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy)
        else:
            assert program == "npu-migrate"
            assert printed(arguments, clone) == step.output, step.command


def rehearsed(arguments: list[str], folder: Path, python: str) -> subprocess.CompletedProcess[str]:
    """What npu-rehearse says with that Python."""
    return subprocess.run(
        [sys.executable, "-m", "npu_migrate.commands.rehearsing.command", "--python", python, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        encoding="utf-8",
    )


def same_as_shown(shown: str, done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a page shows all that was printed, and of standard error some lines, the last among them.

    What TensorFlow itself writes there is not shown.
    """
    printed, told = done.stdout.splitlines(), iter(done.stderr.splitlines())
    lines = shown.splitlines()
    for line in lines:
        if printed[:1] == [line]:
            del printed[0]
        elif line not in told:
            return False
    return not printed and lines[-1:] == done.stderr.splitlines()[-1:]


with_tensorflow_1 = pytest.mark.parametrize(
    "python", [str(interpreter("1.15"))] if "1.15" in available_worlds() else [], ids=["1.15"]
)


@with_tensorflow_1
def test_the_page_on_the_rehearsal(clone: Path, python: str) -> None:
    """Its commands print what it shows: the script is wrong, and the patch of the page makes it right."""
    page = (DOCS / "rehearsal.md").read_text(encoding="utf-8")
    (patch,) = re.findall(r"^```diff\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    codes = []
    for step in steps(DOCS / "rehearsal.md"):
        program, *arguments = shlex.split(step.command)
        if program == "git":
            (clone / arguments[-1]).write_text(patch, encoding="utf-8")
            subprocess.run(["git", *arguments], cwd=clone, check=True)
            continue
        assert program == "npu-rehearse"
        arguments = [one for one in arguments if one not in ("--python", "PATH/TO/python")]
        done = rehearsed(arguments, clone, python)
        assert same_as_shown(step.output, done), done.stdout + done.stderr
        codes.append(done.returncode)
    assert codes == [1, 0, 0]


@with_tensorflow_1
def test_the_rehearsal_in_the_readme(clone: Path, python: str) -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    match = re.search(
        r"npu-rehearse --python \S+ (.*)\n```\n\n```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    )
    assert match is not None
    done = rehearsed(match[1].split(), clone, python)
    assert done.returncode == 0
    assert same_as_shown(match[2], done), done.stdout + done.stderr


def test_the_tutorial(clone: Path, worlds: Worlds) -> None:
    """Its commands print what it shows. The script trains as shown, before its migration and after it."""
    trained: dict[str, set[str]] = {"shown": set()}
    for number, step in enumerate(steps(DOCS / "tutorial.md")):
        program, *arguments = step.command.split()
        if program == "npu-migrate":
            assert printed(arguments, clone) == step.output, step.command
        elif program == "cp":
            shutil.copytree(clone / arguments[-2], clone / arguments[-1])
        elif program == "npu-rehearse":
            if "1.15" in available_worlds():
                arguments = [one for one in arguments if one not in ("--python", "PATH/TO/python")]
                done = rehearsed(arguments, clone, str(interpreter("1.15")))
                assert same_as_shown(step.output, done), done.stdout + done.stderr
        else:
            assert program == "PATH/TO/python"
            trained["shown"].add(step.output)
            script = clone / arguments[0]
            for version, world in worlds.items():
                # Each run has a folder of its own: a world runs the same job only once.
                folder = shutil.copytree(script.parent, clone / f"run-{number}-{version}")
                outcome = world.run(Job(str(folder), script.name))
                assert outcome.code == 0, outcome.stderr[-2000:]
                trained.setdefault(version, set()).add(outcome.stdout)
    assert {version: len(outputs) for version, outputs in trained.items()} == dict.fromkeys(trained, 1)
    assert trained.get("1.15", trained["shown"]) == trained["shown"]


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_pythons_of_the_tests_are_named(page: str) -> None:
    """`run.py` looks for them, and leaves scripts out where it finds none."""
    from run import WORLDS

    (named,) = re.findall(r"^TensorFlow 1\.15\.5.*?\n\n", (REPOSITORY / page).read_text("utf-8"), re.M | re.S)
    wanted = {python for world in WORLDS for python in world.pythons}
    assert {*re.findall(r"(?<![\d.])3\.\d+", named)} == wanted
