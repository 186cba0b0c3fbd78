"""A real cluster on this machine: a scheduler and two worker processes, reached by their address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Client, LocalCluster
from fidelity import write_tree

import npu_migrate
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Each, Outcome, WorkersError, one_by_one
from npu_migrate.engine.processes import worker
from npu_migrate.engine.processes.cluster import Cluster
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.index.indexing import Sheet

pytestmark = pytest.mark.long

SCRIPT = """\
import tensorflow as tf
iterator = tf.data.Dataset.range({}).make_one_shot_iterator()
with tf.Session() as sess:
    print(sess.run(iterator.get_next()))
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(npu_migrate.__file__).parents[1])}


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, host="127.0.0.1"
    ) as cluster:
        yield cluster.scheduler_address.removeprefix("tcp://")


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    tree = {f"p{number:03}/train.py": SCRIPT.format(number).encode() for number in range(120)}
    tree["p050/train.py"] = b"x = (\n# make_one_shot_iterator\n"
    tree["p051/train.py"] = b"\xff # make_one_shot_iterator\n"
    write_tree(tmp_path, {"pyproject.toml": b"", **tree})
    return tmp_path


def outcome(folder: Path, each: Each) -> Outcome:
    job = prepare(Request((str(folder),)), installed_machinery())
    return run(replace(job, each=each))


def command(folder: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    asked = [sys.executable, "-m", "npu_migrate", "--no-cache", "--format", "json", *options, "."]
    return subprocess.run(asked, cwd=folder, capture_output=True, env=ENVIRONMENT, timeout=120)


def test_a_cluster_gives_the_same_bytes(scheduler: str, zoo: Path) -> None:
    here = command(zoo, "--jobs", "1")
    there = command(zoo, "--executor", f"dask://{scheduler}")
    assert (there.returncode, there.stdout) == (here.returncode, here.stdout)
    assert there.stderr == here.stderr


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(scheduler: str, zoo: Path) -> None:
    cluster = Cluster(f"tcp://{scheduler}")
    try:
        with Client(f"tcp://{scheduler}", set_as_default=False) as client:  # type: ignore[no-untyped-call]
            victims = list(client.run(os.getpid).values())
        plans = iter(cluster(list(parts_of(zoo)), lambda part: len(list(part.sheets()))))
        done = [next(plans)]
        os.kill(victims[0], signal.SIGKILL)
        done += plans
        killer = threading.Timer(0.0, os.kill, (victims[1], signal.SIGKILL))
        killer.start()
        together = outcome(zoo, cluster)
        killer.join()
    finally:
        cluster.stop()
    alone = outcome(zoo, one_by_one)
    assert sum(done) == 119, "one of the files is no text"
    assert (together.report, together.diagnosed) == (alone.report, alone.diagnosed)


def parts_of(folder: Path) -> Iterator[object]:
    job = prepare(Request((str(folder),)), installed_machinery())
    return iter(job.split(job.discovery.tree, None))


def test_nobody_at_the_address_is_one_line(zoo: Path) -> None:
    failed = command(zoo, "--executor", "dask://127.0.0.1:1")
    assert (failed.returncode, failed.stdout) == (2, b"")
    (line,) = failed.stderr.decode().splitlines()
    assert line.startswith("npu-migrate: error: --executor: no Dask scheduler answers at tcp://127.0.0.1:1: ")


@pytest.mark.parametrize("executor", ["127.0.0.1:1", "ray://127.0.0.1:1", "dask://"])
def test_another_kind_of_address_is_not_understood(zoo: Path, executor: str) -> None:
    failed = command(zoo, "--executor", executor)
    assert failed.returncode == 2
    assert b"write dask://HOST:PORT" in failed.stderr
    assert len(failed.stderr.splitlines()) == 1


def test_a_cluster_without_workers_is_refused() -> None:
    with (
        LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50, host="127.0.0.1") as empty,  # type: ignore[no-untyped-call]
        pytest.raises(WorkersError, match="has no workers"),
    ):
        Cluster(empty.scheduler_address)


def test_a_scheduler_that_goes_away_ends_the_run(zoo: Path) -> None:
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=1, dashboard_address=None, silence_logs=50, host="127.0.0.1"
    ) as cluster:
        mine = Cluster(cluster.scheduler_address)
    with pytest.raises(WorkersError, match="has gone away"):
        outcome(zoo, mine)
    mine.stop()


def test_a_worker_with_other_code_does_not_take_part() -> None:
    with pytest.raises(worker.OtherTool, match=f"they run npu-migrate {npu_migrate.__version__} on Python"):
        worker.index_as(b"another", [Sheet("a.py", "x = 1\n")])
