"""Defaults under conditions on themselves, and the N that weighs in a program."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from source_trees import tree_of

from npu_migrate.index.facts import argument
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.libraries import LIBRARIES
from npu_migrate.training.npu.configs import (
    entries,
    entry_iterations,
    largest_n,
    parameter_writes,
    run_configs,
)

FLAG = """\
from absl import flags
from npu_bridge.npu_init import *

flags.DEFINE_integer("n", 100, "")
FLAGS = flags.FLAGS
"""


def project_of(root: Path, files: dict[str, str]) -> Project:
    tree = tree_of(root, {name: dedent(text) for name, text in files.items()})
    return Project(tree, relevant_files(tree), LIBRARIES)


def given(project: Project) -> Ref:
    """The argument of the only ``NPURunConfig(iterations_per_loop=…)``."""
    (call,) = run_configs(project)
    value = argument(call.expr, "iterations_per_loop")  # type: ignore[arg-type]
    assert value is not None
    return call._replace(expr=value)


GUARDED = {
    "if": "if FLAGS.n > 1:\n  NPURunConfig(iterations_per_loop=FLAGS.n)",
    "elif": "if x:\n  pass\nelif FLAGS.n > 1:\n  NPURunConfig(iterations_per_loop=FLAGS.n)",
    "else": "if FLAGS.n > 1:\n  pass\nelse:\n  NPURunConfig(iterations_per_loop=FLAGS.n)",
    "while": "while FLAGS.n > 1:\n  NPURunConfig(iterations_per_loop=FLAGS.n)",
    "conditional": "c = NPURunConfig(iterations_per_loop=FLAGS.n) if FLAGS.n else None",
    "and": "c = FLAGS.n and NPURunConfig(iterations_per_loop=FLAGS.n)",
    "left before": (
        "def f():\n  if FLAGS.n > 1:\n    raise ValueError\n  NPURunConfig(iterations_per_loop=FLAGS.n)\nf()"
    ),
    "assert": "assert FLAGS.n == 1\nNPURunConfig(iterations_per_loop=FLAGS.n)",
    "around the call that passes it": (
        "def f(k):\n  NPURunConfig(iterations_per_loop=k)\nif FLAGS.n > 1:\n  f(FLAGS.n)"
    ),
    "by another name": "n = FLAGS.n\nif n > 1:\n  NPURunConfig(iterations_per_loop=n)",
    "by its name as a text": "if 'n' in FLAGS:\n  NPURunConfig(iterations_per_loop=FLAGS.n)",
}
OPEN = {
    "no condition": "NPURunConfig(iterations_per_loop=FLAGS.n)",
    "another name": "if FLAGS.train:\n  NPURunConfig(iterations_per_loop=FLAGS.n)",
    "a condition that is over": "if FLAGS.n > 1:\n  print(1)\nNPURunConfig(iterations_per_loop=FLAGS.n)",
    "a condition around the definition of the function": (
        "if FLAGS.n:\n  def f():\n    NPURunConfig(iterations_per_loop=FLAGS.n)\n  f()"
    ),
}


@pytest.mark.parametrize("text", GUARDED.values(), ids=GUARDED.keys())
def test_a_guarded_default_proves_nothing(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": FLAG + text})
    assert evaluate(project, given(project)).is_known
    assert not evidence(project, given(project)).is_known


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN.keys())
def test_any_other_default_is_evidence(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": FLAG + text})
    assert evidence(project, given(project)).is_default


def test_a_guarded_constant_is_evidence(tmp_path: Path) -> None:
    text = "from npu_bridge.npu_init import *\nN = 100\nif N > 1:\n  NPURunConfig(iterations_per_loop=N)"
    project = project_of(tmp_path, {"train.py": text})
    assert evidence(project, given(project)).is_known


def test_words(tmp_path: Path) -> None:
    settings = "from absl import flags\nN = 10\nflags.DEFINE_integer('loop', N * 10, '')\n"
    train = """\
        from absl import flags
        from npu_bridge.npu_init import *
        import settings
        config = NPURunConfig(iterations_per_loop=flags.FLAGS.loop)
        """
    project = project_of(tmp_path, {"src/settings.py": settings, "src/train.py": train})
    known = evaluate(project, given(project)).only
    assert known is not None
    assert describe(project, "iterations_per_loop", known) == (
        "iterations_per_loop = 100 (the default of flag --loop in src/settings.py:3)"
    )
    assert [(item.message, item.place.span[0]) for item in related(known)] == [
        ("the default of flag --loop", 3),
        ("the value of N", 2),
    ]


ENTRY = """\
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
"""


def test_an_entry_without_the_key_has_one_step(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"train.py": ENTRY})
    (entry,) = entries(project)
    only = entry_iterations(project, entry).value.only
    assert only is not None
    assert only.constant == 1


@pytest.mark.parametrize(
    "text",
    [
        "optimizer = tf.ConfigProto().graph_options.rewrite_options.custom_optimizers.add()\n",
        "x = set()\nx.add(1)\nx.name = 'NpuOptimizer'\n",
        ENTRY.replace("NpuOptimizer", "npuoptimizer"),
        ENTRY.replace('"NpuOptimizer"', "input()"),
    ],
)
def test_what_is_no_entry(tmp_path: Path, text: str) -> None:
    assert not entries(project_of(tmp_path, {"train.py": "import tensorflow as tf  # npu_\n" + text}))


def test_options_built_apart(tmp_path: Path) -> None:
    text = """\
        import tensorflow as tf
        from tensorflow.core.protobuf import rewriter_config_pb2
        options = rewriter_config_pb2.RewriterConfig()
        entry = options.custom_optimizers.add()
        entry.name = "NpuOptimizer"
        entry.parameter_map["iterations_per_loop"].i = 5
        config = tf.ConfigProto(graph_options=tf.GraphOptions(rewrite_options=options))
        """
    project = project_of(tmp_path, {"train.py": text})
    (entry,) = entries(project)
    assert [write.key for write in parameter_writes(project, entry)] == ["iterations_per_loop"]
    assert largest_n(project, (tmp_path / "train.py").as_posix()) is not None


def test_n_of_the_programs_of_a_file(tmp_path: Path) -> None:
    """A shared reader is weighed by the worst of its programs; a default weighs less than a given N."""
    files = {
        "reader.py": "def read(ds):\n  return ds.make_one_shot_iterator()\n",
        "a.py": f"{FLAG}import reader\nNPURunConfig(iterations_per_loop=FLAGS.n)\n",
        "b.py": "from npu_bridge.npu_init import *\nimport reader\nNPURunConfig(iterations_per_loop=10)\n",
        "c.py": "from npu_bridge.npu_init import *\nNPURunConfig(iterations_per_loop=1000)\n",
    }
    project = project_of(tmp_path, files)
    largest = largest_n(project, (tmp_path / "reader.py").as_posix())
    assert largest is not None
    assert (largest.known.constant, largest.known.is_default) == (10, False)
    assert largest.programs == ((tmp_path / "b.py").as_posix(),)


def test_flags_of_another_program_do_not_count(tmp_path: Path) -> None:
    use = "from npu_bridge.npu_init import *\nfrom absl import flags\n"
    files = {
        "library.py": f"{use}def config():\n  return NPURunConfig(iterations_per_loop=flags.FLAGS.n)\n",
        "a.py": f"{use}import library\nflags.DEFINE_integer('n', 10, '')\nlibrary.config()\n",
        "b.py": f"{use}import library\nflags.DEFINE_integer('n', 1, '')\nlibrary.config()\n",
    }
    project = project_of(tmp_path, files)
    ref = given(project)
    assert not evaluate(project, ref).is_known
    in_program = {
        name: evaluate(project, ref, (tmp_path / name).as_posix()).only for name in ("a.py", "b.py")
    }
    assert {name: known and known.constant for name, known in in_program.items()} == {"a.py": 10, "b.py": 1}


@pytest.mark.parametrize("n", ["1", "0", "True", "2.5", "'10'", "10 if x else 1", "int(input())"])
def test_what_is_no_offload(tmp_path: Path, n: str) -> None:
    text = f"from npu_bridge.npu_init import *\nNPURunConfig(iterations_per_loop={n})\n"
    assert largest_n(project_of(tmp_path, {"t.py": text}), (tmp_path / "t.py").as_posix()) is None


def test_tpu_loops_are_none_of_ours(tmp_path: Path) -> None:
    text = "import tensorflow as tf\ntf.contrib.tpu.TPUConfig(iterations_per_loop=100)\n"
    assert largest_n(project_of(tmp_path, {"t.py": text}), (tmp_path / "t.py").as_posix()) is None
