"""Processes that die, hang or eat memory cost one file; the others are done as if nothing had happened."""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fidelity import write_tree

from npu_migrate.cache.folder import open_folder
from npu_migrate.cache.store import Store
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Each, Outcome, one_by_one
from npu_migrate.engine.processes.forking import WORTHWHILE, ForkedParts
from npu_migrate.engine.processes.indexing import Processes
from npu_migrate.engine.processes.pool import Pool
from npu_migrate.engine.processes.shipping import pack, unpack
from npu_migrate.engine.processes.worker import Limits, start_worker
from npu_migrate.engine.remembering.plans import PlanMemory
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.indexing import Failure, Indexed, NotIndexed, Sheet, index_here, index_sheet

SCRIPT = """\
import tensorflow as tf
iterator = tf.data.Dataset.range({}).make_one_shot_iterator()
with tf.Session() as sess:
    print(sess.run(iterator.get_next()))
"""
LIMITS = Limits(seconds=2.0, memory=256 << 20)


def crashing(sheet: Sheet) -> Indexed:
    if "CRASH" in sheet.text:
        faulthandler.disable()
        os.kill(os.getpid(), signal.SIGSEGV)
    return index_sheet(sheet)


def leaving(sheet: Sheet) -> Indexed:
    if "CRASH" in sheet.text:
        os._exit(0)
    return index_sheet(sheet)


def looping(sheet: Sheet) -> Indexed:
    while "CRASH" in sheet.text:
        pass
    return index_sheet(sheet)


def eating(sheet: Sheet) -> Indexed:
    if "CRASH" in sheet.text:
        hoard = []
        while True:
            hoard.append(b"x" * (1 << 20))
    return index_sheet(sheet)


def splashing(sheet: Sheet) -> Indexed:
    """Every file takes much memory and gives it back, but one takes it all."""
    if "CRASH" not in sheet.text:
        hoard = [b"x" * (1 << 20) for _ in range(800)]
        del hoard
    return eating(sheet)


MISHAPS = (
    (crashing, "it ended the process that parsed it, after [0-9]+ s"),
    (leaving, "it ended the process that parsed it, after [0-9]+ s"),
    (looping, "it ended the process that parsed it, after [0-9]+ s"),
    (eating, "it takes more than 256 MB of memory"),
)


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """More scripts than are worth a second process, one with the word that the mishaps wait for."""
    tree = {f"p{number}/train.py": SCRIPT.format(number).encode() for number in range(3 * WORTHWHILE)}
    tree["p70/train.py"] += b"# CRASH\n"
    write_tree(tmp_path, {"pyproject.toml": b"", **tree})
    return tmp_path


def outcome(folder: Path, each: Each) -> Outcome:
    job = prepare(Request((str(folder),)), installed_machinery())
    return run(replace(job, each=each))


def test_the_number_of_processes_changes_nothing(zoo: Path) -> None:
    alone = outcome(zoo, one_by_one)
    assert len(alone.report.diagnostics) == 3 * WORTHWHILE
    seen: list[tuple[int, int]] = []
    for jobs in (2, 3):
        together = outcome(zoo, ForkedParts(jobs, lambda done, steps: seen.append((done, steps))))
        assert (together.report, together.diagnosed) == (alone.report, alone.diagnosed)
    assert seen[-1] == (3 * WORTHWHILE, 3 * WORTHWHILE)
    assert multiprocessing.active_children() == []


@pytest.mark.long
@pytest.mark.parametrize(("index", "reason"), MISHAPS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_mishap_costs_one_file(zoo: Path, index: Callable[[Sheet], Indexed], reason: str) -> None:
    alone = outcome(zoo, one_by_one).report
    report = outcome(zoo, ForkedParts(2, limits=LIMITS, index=index)).report
    (lost,) = (one for one in report.diagnostics if one.code == "NPU903")
    assert lost.path.endswith("p70/train.py")
    assert re.fullmatch(f"not analysed: {reason}", lost.message)
    assert [one for one in report.diagnostics if one is not lost] == [
        one for one in alone.diagnostics if one.path != lost.path
    ]
    assert (report.files.failed, report.files.analysed) == (1, alone.files.analysed - 1)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("asked", ["train.py", "reader.py", "."])
def test_a_mishap_is_not_remembered(tmp_path: Path, processes: Processes, asked: str) -> None:
    """Whether the file that is lost was asked about, or is one around it."""
    train = f"from reader import other\n{SCRIPT.format(1)}    print(sess.run(other.get_next()))\n"
    reader = "import tensorflow as tf\nother = tf.data.Dataset.range(8).make_one_shot_iterator()  # CRASH\n"
    tree = {"pyproject.toml": "", "train.py": train, "reader.py": reader}
    write_tree(tmp_path / "p", {name: text.encode() for name, text in tree.items()})
    store = Store(open_folder(tmp_path / "cache"))
    asking = prepare(Request((str(tmp_path / "p" / asked),)), installed_machinery())
    job = replace(asking, recall=PlanMemory(store, b"", print))
    lost = run(replace(job, each=lambda parts, work: (work(one.with_index(processes)) for one in parts)))
    assert not lost.repeatable
    assert run(job) == run(asking) != lost
    assert run(job).repeatable


def test_the_memory_of_earlier_files_does_not_count() -> None:
    made = Processes(1, Limits(seconds=60.0, memory=1 << 30), splashing)
    found = dict(made([Sheet("a.py", "x = 1\n"), Sheet("crash.py", "CRASH = 1\n")]))
    made.stop()
    assert isinstance(found["a.py"], FileFacts)
    assert failure_of(found["crash.py"]) == "it takes more than 1024 MB of memory"


def test_the_memory_of_the_starting_process_does_not_count() -> None:
    hoard = b"x" * (600 << 20)
    with another_thread():
        made = Processes(1, LIMITS, eating)
        found = dict(made([Sheet("crash.py", "CRASH = 1\n")]))
        made.stop()
    assert len(hoard) == 600 << 20
    assert failure_of(found["crash.py"]) == "it takes more than 256 MB of memory"


def failure_of(found: Indexed) -> str:
    assert isinstance(found, Failure)
    return str(found.error)


@contextlib.contextmanager
def another_thread() -> Iterator[None]:
    """A time in which processes cannot be copies of this one."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    yield
    done.set()
    thread.join()


@pytest.fixture
def processes() -> Iterator[Processes]:
    made = Processes(2, LIMITS, crashing)
    yield made
    made.stop()
    assert multiprocessing.active_children() == []


@pytest.mark.long
def test_facts_survive_the_way(processes: Processes) -> None:
    sheets = [Sheet(f"{number}.py", SCRIPT.format(number) * 400) for number in range(12)]
    broken = [Sheet("broken.py", "x = (\n"), Sheet("crash.py", "CRASH = 1\n")]
    found = dict(processes([*sheets, *broken]))
    assert found.keys() == {sheet.key for sheet in (*sheets, *broken)}
    for key, facts in index_here(sheets):
        assert str(found[key]) == str(facts)
    failure, crash = found["broken.py"], found["crash.py"]
    assert isinstance(failure, Failure)
    assert isinstance(failure.error, SyntaxError)
    assert (failure.error.msg, failure.error.lineno) == ("'(' was never closed", 1)
    assert isinstance(crash, Failure)
    assert isinstance(crash.error, NotIndexed)


def test_an_expression_keeps_its_identity_on_the_way() -> None:
    facts = unpack("a.py", pack(index_sheet(Sheet("a.py", "x = f(1)\n"))))
    assert isinstance(facts, FileFacts)
    assert facts.key == "a.py"
    assert facts.calls[0].call is facts.statements[0].values[0]
    assert facts.scopes[0].bindings["x"][0].value is facts.calls[0].call


@pytest.mark.parametrize("text", ["x = (\n", "if x:\ny\n", "if x:\n\ty\n        z\n", "x = '\0'\n"])
def test_failures_survive_the_way(text: str) -> None:
    sheet = Sheet("a.ipynb", text, ((1, "a\n"), (7, text)))
    here, there = index_sheet(sheet), unpack("a.ipynb", pack(index_sheet(sheet)))
    assert isinstance(here, Failure)
    assert isinstance(there, Failure)
    assert (type(there.error), str(there.error)) == (type(here.error), str(here.error))
    assert getattr(there.error, "lineno", None) == getattr(here.error, "lineno", None)


def test_constants_of_all_kinds_survive_the_way() -> None:
    sheet = Sheet("a.py", "x = [1, 2.5, 3j, 'é', b'\\xff', True, None, ..., 10 ** 99, '\\ud800']\n")
    assert str(unpack("a.py", pack(index_sheet(sheet)))) == str(index_sheet(sheet))


def test_facts_as_deep_as_they_get_survive_the_way() -> None:
    deep = Sheet("a.py", f"x = {'f(' * 90}1{')' * 90}{'.a' * 200}\n")
    found = index_sheet(deep)
    assert isinstance(found, FileFacts)
    assert repr(unpack("a.py", pack(found)).statements[0].span) == repr(found.statements[0].span)


def test_other_values_are_refused() -> None:
    import pickle

    with pytest.raises(pickle.UnpicklingError, match=r"posix\.system is no part of facts"):
        unpack("a.py", pickle.dumps(os.system))


def test_processes_that_are_stopped_in_the_middle_are_gone() -> None:
    made = Processes(2, Limits(seconds=60.0), looping)
    sheets = iter(
        [Sheet("crash.py", "CRASH = 1\n"), *(Sheet(f"{n}.py", "x = 1\n" * 20_000) for n in range(9))]
    )
    started = time.monotonic()
    next(made(sheets))
    made.stop()
    assert time.monotonic() - started < 30
    assert multiprocessing.active_children() == []


def test_a_pool_is_stopped_in_the_midst_of_an_answer() -> None:
    for _ in range(3):
        pool = Pool(2, start_worker)
        answers = [pool.submit(bytes, 1 << 27) for _ in range(4)]
        answers[0].result()
        stopping = threading.Thread(target=pool.stop, daemon=True)
        stopping.start()
        stopping.join(60)
        assert not stopping.is_alive()
    assert multiprocessing.active_children() == []
