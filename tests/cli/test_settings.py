from __future__ import annotations

from pathlib import Path

import pytest

from npu_migrate.findings import Applicability, Severity
from npu_migrate.settings import Settings, SettingsError, load_settings


def settings(folder: Path, text: str) -> Settings:
    (folder / "pyproject.toml").write_text(text)
    return load_settings(folder)


def test_every_key_is_read(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        """
        [tool.npu-migrate]
        select = ["npu1", "NPU2"]
        ignore = "NPU105, NPU106"
        per-file-ignores = {"tests/" = ["NPU1"], "a.py" = "NPU2"}
        exclude = ["/old/", "*_pb2.py"]
        fail-on = "never"
        unsafe-fixes = true
        only-verified = true
        loss-tensor = "loss/total:0"
        final-loss = 1
        product = "A2"
        cann = "8.0.RC1"
        src = ["src", "lib"]
        rehearsal-python = "python3.7"
        """,
    )
    assert found == Settings(
        select=("NPU1", "NPU2"),
        ignore=("NPU105", "NPU106"),
        per_file_ignores=(("tests/", ("NPU1",)), ("a.py", ("NPU2",))),
        exclude=("/old/", "*_pb2.py"),
        fail_on=None,
        applicability=Applicability.UNSAFE,
        only_verified=True,
        loss_tensor="loss/total:0",
        final_loss=1,
        product="a2",
        cann="8.0.RC1",
        src=("src", "lib"),
        rehearsal_python="python3.7",
    )


@pytest.mark.parametrize("text", ["", "[tool.black]\n", "[tool.npu-migrate]\n", "tool = 1\n"])
def test_without_keys_the_defaults_hold(tmp_path: Path, text: str) -> None:
    assert settings(tmp_path, text) == Settings(fail_on=Severity.WARNING)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('selct = ["NPU1"]', "selct is unknown; did you mean select?"),
        ("zzz = 1", "zzz is unknown; the keys are baseline, cache-dir, cann, exclude, fail-on, "),
        ("select = 1", 'select must be a list of rule codes, such as ["NPU101", "NPU2"]'),
        ('ignore = ["NPU1", 2]', "ignore must be a list of rule codes"),
        ('per-file-ignores = ["NPU1"]', "per-file-ignores must be a table of patterns and lists of codes"),
        ('per-file-ignores = {"a" = 1}', "per-file-ignores must be a list of rule codes"),
        ('exclude = "old"', "exclude must be a list of non-empty strings"),
        ('exclude = ["!"]', "exclude must be a list of patterns as in .gitignore, which '!' is not"),
        ('fail-on = "errors"', "fail-on must be one of error, warning, info, never"),
        ("unsafe-fixes = 1", "unsafe-fixes must be true or false"),
        ("only-verified = 1", "only-verified must be true or false"),
        ('loss-tensor = "loss"', 'loss-tensor must be the name of a tensor, such as "loss:0"'),
        ("final-loss = true", "final-loss must be a number"),
        ("cann = 8.0", 'cann must be a version of CANN, such as "8.0"'),
        ('cann = "newest"', 'cann must be a version of CANN, such as "8.0"'),
        ('product = "910"', "product must be one of training, a2, a3, 950"),
        ('rehearsal-python = ""', "rehearsal-python must be the path or the name of a Python"),
        ('src = [""]', "src must be a list of non-empty strings"),
    ],
)
def test_wrong_keys_and_values_are_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(SettingsError) as error:
        settings(tmp_path, f"[tool.npu-migrate]\n{line}\n")
    assert str(error.value).startswith(f"{tmp_path}/pyproject.toml: tool.npu-migrate.{message}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[tool", "is not valid TOML: "),
        (b"# \xff", "is not valid TOML: "),
        (b"[tool]\nnpu-migrate = 1\n", "tool.npu-migrate must be a table"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    with pytest.raises(SettingsError, match=f"^{tmp_path}/pyproject.toml: {message}"):
        load_settings(tmp_path)


def test_a_named_file_replaces_the_one_at_the_root(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("broken")
    config = tmp_path / "npu.toml"
    config.write_text("[tool.npu-migrate]\nproduct = 'training'\n")
    assert load_settings(tmp_path, config).product == "training"
    config.write_text("product = 'training'\n")
    with pytest.raises(SettingsError, match=r"npu.toml: has no table \[tool.npu-migrate\]$"):
        load_settings(tmp_path, config)
    with pytest.raises(SettingsError, match=r"gone.toml: does not exist$"):
        load_settings(tmp_path, tmp_path / "gone.toml")
    with pytest.raises(SettingsError, match=r": cannot be read: Is a directory$"):
        load_settings(tmp_path, tmp_path)
