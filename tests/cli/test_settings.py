from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from npu_migrate.findings import Applicability, Severity
from npu_migrate.settings import (
    Settings,
    SettingsError,
    in_words,
    load_settings,
    settings_from,
    settings_schema,
)


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
        language = "zh"
        documentation-url = "https://docs.example.com/npu-migrate/"
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
        language="zh",
        documentation_url="https://docs.example.com/npu-migrate/",
    )
    assert found.file == str(tmp_path / "pyproject.toml")


@pytest.mark.parametrize("text", ["", "[tool.black]\n", "[tool.npu-migrate]\n", "tool = 1\n"])
def test_without_keys_the_defaults_hold(tmp_path: Path, text: str) -> None:
    assert settings(tmp_path, text) == Settings(fail_on=Severity.WARNING)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('selct = ["NPU1"]', "selct is unknown; did you mean select?"),
        ("zzz = 1", "zzz is unknown; the keys are baseline, cache-dir, cann, documentation-url, exclude, "),
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


@pytest.mark.parametrize(
    "table",
    [
        "tool.npu_migrate",
        "tool.npumigrate",
        "tool.NPU-Migrate",
        "tool.npu-migrat",
        'tool."npu migrate"',
        "tools.npu-migrate",
        "Tool.npu_migrate",
        "npu-migrate",
        "npu_migrate",
        '"npu migrate"',
    ],
)
def test_a_table_with_nearly_the_right_name_is_told(table: str, tmp_path: Path) -> None:
    said = f"pyproject.toml: the table [{table}] is not read; its name must be [tool.npu-migrate]"
    with pytest.raises(SettingsError, match=re.escape(said)):
        settings(tmp_path, f"[{table}]\nselect = ['NPU1']\n")


@pytest.mark.parametrize(
    "table", ["tool.gpu-migrate", "tool.migrate", "tool.npu", "tool.npu-tools", "tools.npu", "migrate"]
)
def test_tables_of_others_are_theirs(table: str, tmp_path: Path) -> None:
    assert settings(tmp_path, f"[{table}]\nselect = ['NPU1']\n") == Settings()


def test_beside_the_right_table_others_are_theirs(tmp_path: Path) -> None:
    found = settings(tmp_path, "[tool.npu-migrate]\nselect = ['NPU1']\n[tool.npu_migrate]\nx = 1\n")
    assert found.select == ("NPU1",)


# -- the schema for editors --------------------------------------------------------------------------------

RIGHT = {
    "select": [["NPU1", "NPU206"], "NPU1, NPU2"],
    "ignore": [["NPU9"]],
    "per-file-ignores": [{"tests/": ["NPU1"], "a.py": "NPU2"}, {}],
    "exclude": [["/old/"]],
    "fail-on": ["error", "warning", "info", "never"],
    "unsafe-fixes": [True, False],
    "only-verified": [True],
    "loss-tensor": ["loss/total:0"],
    "final-loss": [1, 0.5],
    "product": ["training", "a2", "a3", "950"],
    "cann": ["8.0", "8.0.RC1"],
    "initialize": ["explicit", "first-use", "explicit-then-first-use"],
    "port": [True, False],
    "src": [["python"]],
    "baseline": ["baseline.json"],
    "cache-dir": [".cache/npu"],
    "rehearsal-python": ["python3.7"],
    "language": ["en", "zh"],
    "documentation-url": ["https://docs.example.com/npu-migrate"],
}
WRONG = {
    "select": [1, [1], [""]],
    "ignore": [{}],
    "per-file-ignores": [["a.py"], {"a.py": 1}],
    "exclude": ["/old/", [""]],
    "fail-on": ["fatal", 1],
    "unsafe-fixes": ["yes"],
    "only-verified": [1],
    "loss-tensor": ["loss", 1],
    "final-loss": ["1", True],
    "product": ["a4"],
    "cann": ["eight", 8.0],
    "initialize": ["late"],
    "port": ["yes"],
    "src": ["python"],
    "baseline": ["", 1],
    "cache-dir": [""],
    "rehearsal-python": [["python3.7"]],
    "language": ["de", "ZH", 1],
    "documentation-url": ["docs", "https://a b"],
}


def test_the_schema_says_what_the_code_says() -> None:
    """Key by key: both take the same values and refuse the same ones."""
    schema = settings_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    assert RIGHT.keys() == WRONG.keys() == schema["properties"].keys() == in_words(Settings()).keys()
    for key, values in RIGHT.items():
        for value in values:
            settings_from({key: value}, "here")
            validator.validate({key: value})
    for key, values in WRONG.items():
        for value in values:
            with pytest.raises(SettingsError):
                settings_from({key: value}, "here")
            assert not validator.is_valid({key: value}), (key, value)
    assert not validator.is_valid({"unknown": 1})


def test_the_defaults_in_the_schema_are_those_of_the_code() -> None:
    defaults = {
        key: one["default"] for key, one in settings_schema()["properties"].items() if "default" in one
    }
    assert settings_from(defaults, "here") == Settings()
    unset = {key for key, value in in_words(Settings()).items() if value == "not set"}
    assert defaults.keys() == in_words(Settings()).keys() - unset


def test_the_schema_has_the_form_of_schemastore() -> None:
    schema = settings_schema()
    assert schema["$id"] == "https://json.schemastore.org/partial-npu-migrate.json"
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert schema["additionalProperties"] is False
    assert all(one["description"].endswith(".") for one in schema["properties"].values())
