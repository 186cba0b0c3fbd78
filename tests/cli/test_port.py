"""``--port``: programs for a GPU are looked at as what they will be on the NPU."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from npu_migrate.cli import command

SCRIPT = """import tensorflow as tf

w = tf.get_variable("w", [])
manager = tf.contrib.mixed_precision.FixedLossScaleManager(128)
opt = tf.contrib.mixed_precision.LossScaleOptimizer(tf.train.AdamOptimizer(0.1), manager)
train_op = opt.minimize(tf.square(w))
with tf.Session() as sess:
    sess.run(train_op)
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--no-cache", "--quiet"], standalone_mode=True)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("")
    Path("train.py").write_text(SCRIPT)


def test_without_it_a_program_for_a_gpu_is_left_alone() -> None:
    assert run(".").output == ""


def test_with_it_the_other_rules_see_what_the_program_will_be() -> None:
    said = run("--port", ".").output
    assert "NPU701" in said
    assert "NPU403" in said


def test_the_setting_does_the_same() -> None:
    Path("pyproject.toml").write_text("[tool.npu-migrate]\nport = true\n")
    assert run(".").output == run("--port", ".").output != ""


def test_a_setting_of_another_type_is_refused() -> None:
    Path("pyproject.toml").write_text('[tool.npu-migrate]\nport = "yes"\n')
    assert "tool.npu-migrate.port must be true or false" in run(".").output


def test_one_run_does_everything_and_a_second_one_nothing() -> None:
    run("--port", "--write", "--unsafe-fixes", ".")
    once = Path("train.py").read_text()
    assert 'custom_op.name = "NpuOptimizer"' in once
    assert "NPULossScaleOptimizer(" in once
    run("--port", "--write", "--unsafe-fixes", ".")
    assert Path("train.py").read_text() == once


def test_a_program_is_seen_through_its_files() -> None:
    """The helper mentions nothing that other rules ask for."""
    Path("train.py").write_text(SCRIPT.replace("tf.Session()", "tf.Session(config=config_of())"))
    text = (
        Path("train.py")
        .read_text()
        .replace("import tensorflow as tf\n", "import tensorflow as tf\nfrom helper import config_of\n", 1)
    )
    Path("train.py").write_text(text)
    Path("helper.py").write_text(
        "import tensorflow as tf\n\n\ndef config_of():\n    return tf.ConfigProto()\n"
    )
    run("--port", "--write", ".")
    assert "NpuOptimizer" in Path("helper.py").read_text()
    assert Path("train.py").read_text() == text
