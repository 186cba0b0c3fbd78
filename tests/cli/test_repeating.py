"""Whoever asks the same again gets the same at once, and never what was true before something has changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from fidelity import write_tree

from npu_migrate.cache.answers import Answer, question_of, unpacked
from npu_migrate.cache.store import Store
from npu_migrate.cli import command
from npu_migrate.commands.options import Options
from npu_migrate.commands.repeating import awaited_answer
from npu_migrate.commands.requests import request_of
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Job, Outcome
from npu_migrate.engine.remembering.plans import PlanMemory
from npu_migrate.engine.request import prepare
from npu_migrate.findings import Report

pytestmark = pytest.mark.long

SCRIPT = b"""\
import tensorflow as tf
import reader
iterator = reader.dataset().make_one_shot_iterator()
with tf.Session() as sess:
    print(sess.run(iterator.get_next()))
"""
READER = b"import tensorflow as tf\ndef dataset():\n    return tf.data.Dataset.range(8)\n"
OTHER = b"import tensorflow as tf\nit = tf.data.Dataset.range(8).make_one_shot_iterator()\n"
TREE = {
    "p/pyproject.toml": b"",
    "p/train.py": SCRIPT,
    "p/reader.py": READER,
    "p/sub/more.py": OTHER,
    "p/sub/deep/more.py": OTHER,
    "elsewhere/other.py": OTHER,
}


class Printed(NamedTuple):
    output: bytes
    error: bytes
    code: int


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, in which the working directory is; the cache lies beside it."""
    write_tree(tmp_path / "tree", TREE)
    monkeypatch.chdir(tmp_path / "tree" / "p")
    monkeypatch.setenv("NPU_MIGRATE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "tree" / "p"


def run(*arguments: str, **environment: str) -> Printed:
    process = subprocess.run(
        [sys.executable, "-m", "npu_migrate", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Printed(process.stdout, process.stderr, process.returncode)


def answers() -> list[Path]:
    return sorted(Path(os.environ["NPU_MIGRATE_CACHE_DIR"]).glob("*.answer"))


def mark(output: bytes) -> None:
    """Puts another output into all answers, so that they can be told."""
    for file in answers():
        store = Store(file.parent)
        payload = store.read(file.name)
        assert payload is not None
        answer = unpacked(payload)
        marked = Answer(answer.looks, answer.digest, output, answer.error, answer.code)
        store.write(file.name, marked.packed())


FORMS = [(), ("--format", "json"), ("--quiet",), ("--statistics",), ("--fail-on", "never", "--jobs", "1")]


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_the_same_question_gets_the_same_answer(project: Path, form: tuple[str, ...]) -> None:
    first = run(*form, ".")
    assert len(answers()) == 1
    assert run(*form, ".") == first == run("--no-cache", *form, ".")
    mark(b"remembered")
    assert run(*form, ".") == first._replace(output=b"remembered")


def test_a_page_that_tells_when_it_was_made_is_made_again(project: Path) -> None:
    run("--format", "html", ".")
    assert answers() == []


def test_an_answer_loads_hardly_anything(project: Path) -> None:
    run(".")
    mark(b"remembered")
    timed = [sys.executable, "-X", "importtime", "-m", "npu_migrate", "."]
    process = subprocess.run(timed, capture_output=True, text=True, check=False)
    assert process.stdout == "remembered"
    loaded = {line.rpartition("|")[2].strip() for line in process.stderr.splitlines()}
    assert {name for name in loaded if name.startswith("npu_migrate")} == {
        "npu_migrate",
        "npu_migrate.cache",
        "npu_migrate.cache.answers",
        "npu_migrate.cache.entry",
        "npu_migrate.cache.looks",
        "npu_migrate.cache.ownership",
        "npu_migrate.start",
    }
    assert loaded.isdisjoint(("click", "dataclasses", "json", "pathlib"))


CHANGES: dict[str, Callable[[Path], object]] = {
    "target": lambda p: (p / "train.py").write_bytes(b"\n" + SCRIPT),
    "imported file": lambda p: (p / "reader.py").write_bytes(OTHER),
    "same size and time": lambda p: same_size_and_time(p / "train.py", SCRIPT.replace(b"print", b"bytes")),
    "new file": lambda p: (p / "sub/new.py").write_bytes(OTHER),
    "new notebook": lambda p: (p / "sub/new.ipynb").write_bytes(b"{"),
    "new folder": lambda p: write_tree(p, {"sub/one/two.py": OTHER}),
    "file gone": lambda p: (p / "sub/deep/more.py").unlink(),
    "folder gone": lambda p: (p / "sub").rename(p.parent / "sub"),
    "file moved": lambda p: (p / "sub/more.py").rename(p / "sub/moved.py"),
    "folder becomes a link": lambda p: linked(p / "sub/deep"),
    "file becomes a link": lambda p: linked(p / "sub/more.py"),
    "file becomes a link to another": lambda p: replaced_by_link(p / "sub/more.py", p / "train.py"),
    "file becomes a folder": lambda p: ((p / "sub/more.py").unlink(), (p / "sub/more.py").mkdir()),
    "file becomes a pipe": lambda p: ((p / "sub/more.py").unlink(), os.mkfifo(p / "sub/more.py")),
    "ignored": lambda p: (p / ".gitignore").write_text("more.py\n"),
    "ignored below": lambda p: (p / "sub/.gitignore").write_text("more.py\n"),
    "ignored above": lambda p: write_tree(p.parent, {".git/HEAD": b"", ".gitignore": b"more.py\n"}),
    "excluded in Git": lambda p: write_tree(p, {".git/info/exclude": b"more.py\n"}),
    "environment": lambda p: (p / "sub/pyvenv.cfg").write_text(""),
    "settings": lambda p: (p / "pyproject.toml").write_text('[tool.npu-migrate]\nignore = ["NPU101"]\n'),
    "wrong settings": lambda p: (p / "pyproject.toml").write_text("[tool.npu-migrate]\nx = 1\n"),
    "excluded": lambda p: (p / "pyproject.toml").write_text('[tool.npu-migrate]\nexclude = ["sub"]\n'),
    "baseline": lambda p: (p / "pyproject.toml").write_text('[tool.npu-migrate]\nbaseline = "b.json"\n'),
    "root moves": lambda p: (
        (p / "pyproject.toml").unlink(),
        (p.parent / "setup.py").write_bytes(b""),
    ),
    "everything gone": lambda p: (p.rename(p.with_name("q")), p.mkdir()),
}
NAMED = {
    "a nearer root": lambda p: (p / "sub/setup.py").write_bytes(b""),
    "another file in its place": lambda p: replaced_by_link(
        p / "sub/more.py", p.parent / "elsewhere/other.py"
    ),
    "gone": lambda p: (p / "sub/more.py").unlink(),
    "folder is another": lambda p: linked(p / "sub"),
    "context": lambda p: (p / "train.py").write_bytes(b"import sub.more\n" + SCRIPT),
}


def same_size_and_time(file: Path, content: bytes) -> None:
    before = file.stat()
    same_time(file, content)
    assert file.stat().st_size == before.st_size


def same_time(file: Path, content: bytes) -> None:
    before = file.stat()
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns


def linked(path: Path) -> None:
    path.rename(path.with_name("moved away"))
    path.symlink_to(path.with_name("moved away"))


def replaced_by_link(path: Path, target: Path) -> None:
    path.unlink()
    path.symlink_to(target)


def assert_noticed(change: Callable[[Path], object], project: Path, *paths: str) -> None:
    before = run(*paths)
    assert len(answers()) == 1
    mark(b"outdated")
    change(project)
    os.chdir(project)
    now = run("--no-cache", *paths)
    assert run(*paths) == now
    assert run(*paths) == now
    assert b"outdated" not in now.output
    assert before.output


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_has_changed_is_noticed(project: Path, change: Callable[[Path], object]) -> None:
    assert_noticed(change, project, ".")


@pytest.mark.parametrize("change", NAMED.values(), ids=NAMED)
def test_what_has_changed_is_noticed_around_a_named_file(
    project: Path, change: Callable[[Path], object]
) -> None:
    assert_noticed(change, project, "sub/more.py")


@pytest.mark.parametrize("path", ["../elsewhere/../p", "../link/../p"])
def test_a_path_that_leads_nowhere_any_more_is_noticed(project: Path, path: str) -> None:
    """A `..` leads to what is above the folder that the system finds before it."""
    (project.parent / "link").symlink_to("elsewhere")
    assert_noticed(lambda p: (p.parent / "elsewhere").rename(p.parent / "gone"), project, path)
    assert run(path).code == 2


def test_another_question_has_another_answer(project: Path) -> None:
    first = run(".")
    mark(b"remembered")
    assert run("sub", ".").output == run("--no-cache", "sub", ".").output
    assert run("--select", "NPU1", ".").output == first.output
    assert run(".", NO_COLOR="1").output == first.output
    assert run(".", PYTHONIOENCODING="ascii").output == first.output
    os.chdir("..")
    assert run("p").output == run("--no-cache", "p").output
    os.chdir("p")
    assert run(".").output == b"remembered"


def test_what_does_not_matter_costs_nothing(project: Path) -> None:
    first = run(".")
    mark(b"remembered")
    write_tree(project, {"sub/data.csv": b"1", "sub/model.ckpt": b"", "notes/readme.md": b""})
    os.utime("train.py", (1, 1))
    assert run("--no-cache", ".") == first
    assert run(".").output in (b"remembered", first.output), "a new folder may be looked into"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--verbose", "."),
        ("--no-cache", "."),
        ("--diff", "."),
        ("--output-file", "out.txt", "."),
        ("--root", ".", "."),
        ("--config", "pyproject.toml", "."),
        ("--no-baseline", "."),
        ("nowhere",),
        ("--list-rules",),
    ],
    ids=" ".join,
)
def test_other_questions_are_answered_anew(project: Path, arguments: tuple[str, ...]) -> None:
    run(*arguments)
    assert answers() == []


def test_the_settings_may_name_the_cache(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPU_MIGRATE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    first = run(".")
    assert len(list((tmp_path / "xdg" / "npu-migrate").glob("*.answer"))) == (sys.platform == "linux")
    (project / "pyproject.toml").write_text('[tool.npu-migrate]\ncache-dir = ".cache/n"\n')
    assert run(".").output == first.output
    assert list((project / ".cache" / "n").glob("*.answer")) == []


def test_options_that_are_new_are_not_taken_for_harmless() -> None:
    neutral = Options(*[("p",) if one.name == "paths" else None for one in fields(Options)])  # type: ignore[arg-type]
    assert neutral.asks_only
    harmless = {"paths", "select", "ignore", "form", "fail_on", "unsafe_fixes", "initialize", "statistics"}
    harmless |= {"jobs", "quiet", "only_verified", "group_by", "port", "language"}
    for one in fields(Options):
        given = {**{other.name: getattr(neutral, other.name) for other in fields(Options)}, one.name: ("x",)}
        assert Options(**given).asks_only == (one.name in harmless), one.name


def test_an_answer_is_not_kept_when_a_file_changes_meanwhile(project: Path, tmp_path: Path) -> None:
    options = Options(*[(".",) if one.name == "paths" else None for one in fields(Options)])  # type: ignore[arg-type]
    machinery = installed_machinery()
    (tmp_path / "cache").mkdir(mode=0o700)

    def prepared() -> Job:
        return prepare(request_of(options, machinery), machinery)

    def kept(earlier: Callable[[], object], later: Callable[[], object], *, repeatable: bool = True) -> bool:
        """Whether an answer is kept when the one happens before the files are looked at, the other after."""
        for file in answers():
            file.unlink()
        write_tree(tmp_path / "tree", TREE)
        job = prepared()
        earlier()
        memory = PlanMemory(Store(tmp_path / "cache"), b"", print)
        awaited = awaited_answer(f"{'a' * 32}.answer", replace(job, recall=memory), options)
        assert awaited is not None
        later()
        outcome = Outcome(Report(()), (), job.discovery.tree, repeatable)
        awaited.keep(outcome, b"", "", 0, prepared)
        return answers() != []

    def nothing() -> None:
        pass

    def new_file() -> None:
        (project / "new.py").write_bytes(OTHER)

    def settings() -> None:
        (project / "pyproject.toml").write_text('[tool.npu-migrate]\nignore = ["NPU1"]\n')

    def content() -> None:
        (project / "reader.py").write_bytes(OTHER)

    def content_and_back() -> None:
        # File systems count time in steps.
        time.sleep(0.02)
        (project / "reader.py").write_bytes(OTHER)
        same_time(project / "reader.py", READER)

    assert kept(nothing, nothing)
    assert not kept(nothing, nothing, repeatable=False)
    assert not kept(nothing, content)
    assert not kept(nothing, content_and_back)
    assert not kept(nothing, settings)
    assert not kept(settings, nothing)
    assert not kept(nothing, new_file)
    (project / "new.py").unlink()
    assert not kept(new_file, nothing)
    (project / "new.py").unlink()
    assert kept(nothing, nothing)


def test_a_damaged_answer_is_none(project: Path) -> None:
    first = run(".")
    (file,) = answers()
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], whole + b"x", whole.replace(b"train.py", b"trail.py")):
        file.write_bytes(damaged)
        assert run(".") == first
        assert file.read_bytes() == whole


def test_an_answer_in_a_folder_of_others_is_none(project: Path) -> None:
    first = run(".")
    mark(b"not to be believed")
    answers()[0].parent.chmod(0o777)
    assert run(".") == first


def test_a_reader_may_leave_early(project: Path) -> None:
    code = run(".").code
    for _ in range(2):
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.run(
            [sys.executable, "-m", "npu_migrate", "."], stdout=writing, stderr=subprocess.PIPE, check=False
        )
        os.close(writing)
        assert process.returncode == code
        assert b"Traceback" not in process.stderr


def test_an_interrupted_look_for_an_answer_is_told(project: Path) -> None:
    run(".")
    (file,) = answers()
    file.unlink()
    os.mkfifo(file)
    process = subprocess.Popen(
        [sys.executable, "-m", "npu_migrate", "."], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # It waits for what is written to the pipe, as it does for a slow disk.
    with file.open("wb"):
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=60)
    assert (output, process.returncode) == (b"", 130)
    assert error == b"npu-migrate: interrupted; nothing was written\n"


def test_a_full_disk_is_told(project: Path) -> None:
    told = []
    for _ in range(3):
        with Path("/dev/full").open("wb") as full:
            process = subprocess.run(
                [sys.executable, "-m", "npu_migrate", "."], stdout=full, stderr=subprocess.PIPE, check=False
            )
        told.append((process.returncode, process.stderr))
        run(".")
    assert told == [told[0]] * 3
    assert told[0][0] == 2


def test_questions_tell_what_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    asked = [question_of(["."]), question_of([".", "a"]), question_of(["."])]
    monkeypatch.setenv("NO_COLOR", "1")
    asked.append(question_of(["."]))
    monkeypatch.chdir(tmp_path)
    asked.append(question_of(["."]))
    monkeypatch.syspath_prepend(tmp_path)
    asked.append(question_of(["."]))
    (tmp_path / "libcst").mkdir()
    asked.append(question_of(["."]))
    assert None not in asked
    assert asked[0] == asked[2]
    assert len(set(asked)) == 6


def test_the_command_itself_keeps_nothing(project: Path) -> None:
    """Only a process that was started with these arguments knows its question."""
    CliRunner().invoke(command, ["."])
    assert answers() == []
