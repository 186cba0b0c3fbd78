"""The projects of the open documents, without an editor: any history leads to what a fresh look finds."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from fidelity import read_tree
from fixture_cases import FIXTURES
from scripts import ITERATOR, LOOP, READER, TRAINER, project
from unprivileged import unprivileged_folder

from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.desk import Desk, ObsoleteError
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.judging.roots import root_of
from npu_migrate.lsp.texts.documents import Content, Document
from npu_migrate.rewrite.edits import apply_edits, by_path
from npu_migrate.sources.tree import SourceTree


def never() -> threading.Event:
    return threading.Event()


class Strict:
    """Fails where the listener of a server would tell the editor."""

    def complain(self, message: str) -> None:
        pytest.fail(message)

    def report(self, error: Exception) -> None:
        raise error

    def watch(self, key: str) -> None:
        pass


def desk(*folders: Path) -> Desk:
    """A desk that fails where the one of a server would log."""
    one = Desk(Strict())
    one.configure([str(folder) for folder in folders], lambda found: found)
    return one


def content(path: Path, text: str) -> Content:
    return Document(path.as_uri(), str(path), 1, text).content


def codes(judged: Judged) -> list[str]:
    return [one.diagnostic.code for one in judged.diagnosed if one.diagnostic.counts]


def test_folders_that_may_not_be_looked_into() -> None:
    with unprivileged_folder() as folder:
        project(folder, {"train.py": ITERATOR, "closed/a.py": ITERATOR, "shut/b.py": ITERATOR})
        (folder / "closed").chmod(0o300)
        (folder / "shut").chmod(0o000)
        try:
            paths = [folder / name for name in ("train.py", "closed/a.py", "shut/b.py")]
            change = Change({str(path): content(path, ITERATOR) for path in paths})
            found = desk(folder).judge(change, never())
            assert {one.key: codes(one) for one in found} == {str(path): ["NPU101"] for path in paths}
        finally:
            (folder / "closed").chmod(0o700)
            (folder / "shut").chmod(0o700)


def test_a_root_that_may_not_be_looked_into() -> None:
    with unprivileged_folder() as folder:
        project(folder, {"work/train.py": ITERATOR})
        path = folder / "work" / "train.py"
        (folder / "work").chmod(0o000)
        try:
            (found,) = desk(folder / "work").judge(Change({str(path): content(path, ITERATOR)}), never())
            assert codes(found) == ["NPU101"]
        finally:
            (folder / "work").chmod(0o700)


@pytest.mark.parametrize(
    ("key", "folders", "root"),
    [
        ("/disk/a.py", ["/"], "/disk"),
        ("/a.py", ["/"], "/a.py"),
        ("/untitled:/x/text.py", ["/"], "/untitled:/x/text.py"),
        ("/disk/deep/er/a.py", ["/disk", "/disk/deep", "/dis"], "/disk/deep"),
        ("/disk/deeper/a.py", ["/disk/deep"], "/disk/deeper"),
    ],
)
def test_the_root_of_a_file(key: str, folders: list[str], root: str) -> None:
    assert root_of(key, folders) == root


def test_a_question_that_nobody_waits_for_is_given_up_and_not_forgotten(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    path = folder / "train.py"
    one, obsolete = desk(folder), never()
    obsolete.set()
    with pytest.raises(ObsoleteError):
        one.judge(Change({str(path): content(path, ITERATOR + "#")}), obsolete)
    (found,) = one.judge(Change({}), never())
    assert codes(found) == ["NPU101"]
    with pytest.raises(ObsoleteError):
        one.plan(None, obsolete)
    planned = one.plan(None, never())
    assert planned is not None and planned.planned
    assert one.plan(None, never()) is None


def test_what_an_earlier_run_has_found_is_remembered(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": LOOP, "settings.py": "LOOP = 30\n"})
    path = folder / "train.py"
    change = Change({str(path): content(path, LOOP)})
    first = desk(folder)
    (found,) = first.judge(change, never())
    assert not found.planned
    planned = first.plan(None, never())
    (again,) = desk(folder).judge(change, never())
    assert again.planned
    assert planned is not None and again.diagnosed == planned.diagnosed
    (folder / "settings.py").write_text("LOOP = 50\n")
    (other,) = desk(folder).judge(change, never())
    assert (other.planned, codes(other)) == (False, ["NPU104"])


COMPARED = """\
from npu_bridge.npu_init import *
from npu_bridge.estimator.npu import npu_config

experimental = npu_config.ExperimentalConfig(
    accelerate_train_mode == "fast|step|0.9",  # one
    logical_device_cluster_deploy_mode="SINGLE")
config = NPURunConfig(experimental_config=experimental)
"""
"""NPU301, whose fix writes the call anew."""
HANDLED = """\
import tensorflow as tf  # one

iterator = tf.data.Dataset.range(8).batch(2, drop_remainder=True).make_initializable_iterator()
batch = iterator.get_next()
with tf.Session() as sess:
    print(sess.run(batch))
"""
"""NPU102, unless somebody finds the op of the iterator in the graph."""


@pytest.mark.parametrize("text", [COMPARED, HANDLED], ids=["in what is written anew", "op of the iterator"])
def test_words_in_a_comment_that_matter(tmp_path: Path, text: str) -> None:
    folder = project(tmp_path, {"train.py": text})
    path = folder / "train.py"
    one = desk(folder)
    for words in ("one", "two", "MakeIterator", "one"):
        now = text.replace("one", words)
        (found,) = one.judge(Change({str(path): content(path, now)}), never())
        planned = one.plan(None, never())
        assert planned is not None
        path.write_text(now)
        assert told(planned.diagnosed, planned.tree, str(path)) == fresh(folder, ["train.py"])[str(path)]
        assert set(codes(found)) <= set(codes(planned))


# -- any history -------------------------------------------------------------------------------------------

FILES = {
    "train.py": LOOP,
    "settings.py": "LOOP = 30\n",
    "run.py": TRAINER,
    "reader.py": READER,
    "single.py": ITERATOR,
    "lib/__init__.py": "",
    "lib/steps.py": "from settings import LOOP\nSTEPS = LOOP * 3\n",
}
LINES = (
    "from lib.steps import STEPS",
    "import settings",
    "LOOP = 50",
    "LOOP = 30",
    "def broken(:",
    "x = (",
    "y = 1  # npu-migrate: ignore[NPU101]",
    "# 注释 😀",
    "config = NPURunConfig(iterations_per_loop=20, save_checkpoints_steps=30)",
    "import reader; again = reader.inputs(3)",
    "iterator = tf.data.Dataset.range(3).make_one_shot_iterator()",
)
COMMENTS = ("# 注释", "# MakeIterator", "# NpuOptimizer", "# npu-migrate: ignore", "#")


class History:
    """A desk, what is open on it, and what lies on disk."""

    def __init__(
        self, folder: Path, seed: int, files: Mapping[str, str] = FILES, lines: Sequence[str] = LINES
    ) -> None:
        self.random = random.Random(seed)
        self.files = files
        self.lines = lines
        self.folder = project(folder, files)
        self.desk = desk(folder)
        self.open: dict[str, str] = {}
        self.found: dict[str, Judged] = {}

    def step(self) -> None:
        """Something happens, and sometimes the desk is asked before the next thing does."""
        name = self.random.choice(sorted(self.files))
        path = self.folder / name
        key = str(path)
        kind = self.random.choice(("type", "type", "type", "type", "mend", "open", "close", "disk", "remove"))
        contents: dict[str, Content | None] = {}
        on_disk: set[str] = set()
        if kind == "disk" or (kind == "open" and not path.is_file()):
            path.write_text(self.edited(self.files[name]), encoding="utf-8")
            on_disk = {key}
        elif kind == "remove" and name not in self.open:
            path.unlink(missing_ok=True)
            on_disk = {key}
        elif kind == "close" and name in self.open:
            del self.open[name]
            self.found.pop(key, None)
            contents[key] = None
        elif kind == "open" or name in self.open:
            known = self.open.get(name) or (path.read_text("utf-8") if path.is_file() else self.files[name])
            text = self.files[name] if kind == "mend" else known if kind == "open" else self.edited(known)
            self.open[name] = text
            contents[key] = content(path, text)
        self.ask(Change(contents, frozenset(on_disk)))

    def edited(self, text: str) -> str:
        """A text with a line more, less, or cut off, or with other words in a comment."""
        lines = text.splitlines()
        at = self.random.randint(0, len(lines))
        kind = self.random.choice(("more", "less", "less", "cut", "comment", "comment"))
        commented = [number for number, line in enumerate(lines) if "#" in line]
        if kind == "comment" and commented:
            at = self.random.choice(commented)
            lines[at] = lines[at].partition("#")[0] + self.random.choice(COMMENTS)
        elif kind == "more" or not lines:
            lines.insert(at, self.random.choice(self.lines))
        elif kind == "less":
            del lines[min(at, len(lines) - 1)]
        else:
            line = lines[min(at, len(lines) - 1)]
            lines[min(at, len(lines) - 1)] = line[: self.random.randint(0, len(line))]
        return "".join(f"{line}\n" for line in lines)

    def ask(self, change: Change) -> None:
        obsolete = never()
        if self.random.random() < 0.1:
            obsolete.set()
        try:
            for one in self.desk.judge(change, obsolete):
                self.found[one.key] = one
            if self.random.random() < 0.1:
                planned = self.desk.plan(None, never())
                if planned is not None:
                    self.found[planned.key] = planned
        except ObsoleteError:
            pass

    def mend(self) -> None:
        """Bring all open texts and all files on disk into an order in which they can be parsed."""
        contents: dict[str, Content | None] = {}
        on_disk: set[str] = set()
        for name, good in self.files.items():
            path = self.folder / name
            if path.is_file() and not is_python(path.read_text("utf-8")):
                path.write_text(good, encoding="utf-8")
                on_disk.add(str(path))
            if name in self.open and not is_python(self.open[name]):
                self.open[name] = good
                contents[str(path)] = content(path, good)
        for one in self.desk.judge(Change(contents, frozenset(on_disk)), never()):
            self.found[one.key] = one

    def fresh(self) -> dict[str, list[object]]:
        """What the command line finds in the same files, if they were saved."""
        for name, text in self.open.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        return fresh(self.folder, self.open)

    def fresh_of(self, key: str) -> list[object]:
        """What it finds in one of them if that alone is named, as it is planned alone here: what is wrong in
        another file is shown where it is used then."""
        return fresh(self.folder, [Path(key).name], (Path(key).name,))[key]


def is_python(text: str) -> bool:
    try:
        compile(text, "text", "exec")
    except SyntaxError:
        return False
    return True


def fresh(folder: Path, names: Collection[str], paths: tuple[str, ...] = (".",)) -> dict[str, list[object]]:
    """What a fresh run over a folder, or some `paths` in it, finds in some files."""
    home = Path.cwd()
    os.chdir(folder)
    try:
        job = prepare(Request(paths=paths), installed_machinery())
    finally:
        os.chdir(home)
    outcome = run(job)
    return {str(folder / name): told(outcome.diagnosed, outcome.tree, str(folder / name)) for name in names}


def told(diagnosed: Iterable[Diagnosed], tree: SourceTree, key: str) -> list[object]:
    """What is said of one file, with the texts that each fix would leave."""
    found: list[object] = []
    for one in diagnosed:
        if one.place.path == key:
            fix = one.fix
            after = (
                {}
                if fix is None
                else {
                    path: apply_edits(tree.source(path).text, edits)
                    for path, edits in by_path(fix.edits).items()
                }
            )
            title = None if fix is None else (fix.title, fix.applicability)
            said = one.diagnostic
            found.append((said.code, said.range, said.message, said.suppressed, title, after))
    return found


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_any_history_leads_to_what_a_fresh_run_finds(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path, seed)
    for _ in range(10):
        require_what_a_fresh_run_finds(history, steps=50)


def scripts_of(rule: Path) -> list[Path]:
    return sorted(rule.glob("*/before"))


RULES = sorted(FIXTURES.glob("NPU*"))


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_any_history_of_scripts_with_findings(tmp_path: Path, rule: Path) -> None:
    """Scripts of which each rule finds something, with lines of other ones typed into them."""
    chance = random.Random(rule.name)
    for number, before in enumerate(chance.sample(scripts_of(rule), min(3, len(scripts_of(rule))))):
        files = {path: data.decode() for path, data in read_tree(before).items() if is_script(path, data)}
        lines = [line for text in files.values() for line in text.splitlines()]
        if files:
            history = History(tmp_path / str(number), number, files, [*LINES, *lines])
            for _ in range(4):
                require_what_a_fresh_run_finds(history, steps=15)


def is_script(path: str, data: bytes) -> bool:
    """Whether a file is Python that an editor shows as it is on disk."""
    if (
        not path.endswith(".py")
        or b"coding" in data[:200]
        or data.startswith(b"\xef\xbb\xbf")
        or b"\r" in data
    ):
        return False
    return is_python(data.decode())


def require_what_a_fresh_run_finds(history: History, steps: int) -> None:
    for _ in range(steps):
        history.step()
    history.mend()
    present = {str(history.folder / name) for name in history.open}
    assert history.found.keys() == present
    planned = {key: history.desk.plan(key, never()) for key in sorted(present)}
    ours = {key: told(one.diagnosed, one.tree, key) for key, one in planned.items() if one is not None}
    quick = {key: codes_and_places(one) for key, one in history.found.items()}
    assert quick == {key: codes_and_places(one) for key, one in planned.items() if one is not None}
    whole = history.fresh()
    assert ours == {
        key: whole[key] if whole[key] == one else history.fresh_of(key) for key, one in ours.items()
    }
    assert [one.problem for one in history.found.values() if one.problem is not None] == []


def codes_and_places(judged: Judged) -> list[tuple[str, object]]:
    return [(one.diagnostic.code, one.diagnostic.range) for one in judged.diagnosed]
