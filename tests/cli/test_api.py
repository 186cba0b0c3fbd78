from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

import npu_migrate
from npu_migrate.findings import Applicability, Severity
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.discovery import PathError

SCRIPT = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
iterator = dataset.make_one_shot_iterator()
value = iterator.get_next()
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(value))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([value, train_op]))
"""


def test_the_version_is_that_of_the_package() -> None:
    assert npu_migrate.__version__ == importlib.metadata.version("npu-migrate")
    assert not hasattr(npu_migrate, "version_info")


def test_a_text_is_checked_and_fixed() -> None:
    (diagnostic,) = npu_migrate.check_source(SCRIPT)
    assert (diagnostic.code, diagnostic.severity, diagnostic.path) == ("NPU101", Severity.WARNING, "<stdin>")
    fixed = npu_migrate.fix_source(SCRIPT)
    assert "sess.run(iterator.initializer)" in fixed
    assert npu_migrate.check_source(fixed) == ()
    assert npu_migrate.fix_source(fixed) == fixed


def test_a_text_keeps_bom_newlines_and_cookie() -> None:
    """A text is a text: its cookie says nothing about it."""
    text = "\ufeff" + ("# coding: utf-8\n# 训\n" + SCRIPT).replace("\n", "\r\n")
    fixed = npu_migrate.fix_source(text)
    assert fixed.startswith("\ufeff# coding: utf-8\r\n# 训\r\n")
    assert fixed.count("\n") == fixed.count("\r\n") == text.count("\n") + 1
    gbk = "# coding: gbk\n# é \N{GRINNING FACE}\n" + SCRIPT
    assert npu_migrate.fix_source(gbk).startswith("# coding: gbk\n# é \N{GRINNING FACE}\n")


def test_unsafe_fixes_are_asked_for() -> None:
    (diagnostic,) = (one for one in npu_migrate.check_source(SCRIPT, settings=Settings()) if one.fix)
    assert diagnostic.fix is not None
    assert diagnostic.fix.applicability is Applicability.SAFE
    none = Settings(ignore=("NPU101",))
    assert npu_migrate.fix_source(SCRIPT, settings=none, applicability=Applicability.UNSAFE) == SCRIPT


@pytest.mark.parametrize("text", [SCRIPT + "\0", SCRIPT + "'\ud800'"])
def test_what_is_no_text_is_a_finding(text: str) -> None:
    assert [one.code for one in npu_migrate.check_source(text)] == ["NPU902"]
    assert npu_migrate.fix_source(text) == text


def test_files_are_checked_like_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.npu-migrate]\nexclude = ["old/"]\n')
    for name in ("train.py", "old/train.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    report = npu_migrate.check(["."])
    assert [(one.path, one.code) for one in report.diagnostics] == [("train.py", "NPU101")]
    assert (report.files.discovered, report.files.analysed) == (1, 1)
    everything = npu_migrate.check([tmp_path], settings=Settings())
    assert {one.path for one in everything.diagnostics} == {"train.py", "old/train.py"}


def test_a_filename_gives_a_text_its_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session that initializes the iterator is in another file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\nfrom data import build\n\nvalue = build()\n"
        "with tf.Session() as sess:\n    print(sess.run(value))\n"
    )
    data = (
        "import tensorflow as tf\n\n\ndef build():\n"
        "    return tf.data.Dataset.range(8).make_one_shot_iterator().get_next()\n"
    )
    (alone,) = npu_migrate.check_source(data)
    (among,) = npu_migrate.check_source(data, filename="data.py")
    assert (among.path, among.programs) == ("data.py", ("train.py",))
    assert alone.programs != among.programs


def test_mistakes_raise(tmp_path: Path) -> None:
    with pytest.raises(PathError, match="does not exist"):
        npu_migrate.check([tmp_path / "gone.py"])
    with pytest.raises(SettingsError, match=r"^settings: no rule has the code NPU0"):
        npu_migrate.check([tmp_path], settings=Settings(select=("NPU0",)))
