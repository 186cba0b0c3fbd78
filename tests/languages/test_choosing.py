"""Which language is spoken, and who decides that."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from npu_migrate.cache import answers
from npu_migrate.languages.choosing import (
    LOCALE_VARIABLES,
    VARIABLE,
    asked_for,
    can_be_shown,
    known,
    of_locale,
    wrong_variable,
)


@pytest.mark.parametrize("name", ["zh", "zh_CN", "zh_CN.UTF-8", "zh-Hans-CN", "zh_TW.Big5", "ZH", "zh-cn"])
def test_names_of_chinese(name: str) -> None:
    assert known(name) == "zh"


@pytest.mark.parametrize("name", ["", None, "C", "C.UTF-8", "POSIX", "de_DE.UTF-8", "zhuang"])
def test_other_languages_are_not_known(name: str | None) -> None:
    assert known(name) is None


def test_the_option_goes_before_the_variable_and_this_before_the_setting() -> None:
    environment = {VARIABLE: "zh"}
    assert asked_for("en", "en", environment) == "en"
    assert asked_for(None, "en", environment) == "zh"
    assert asked_for(None, "zh", {}) == "zh"
    assert asked_for(None, "zh", {VARIABLE: "de"}) == "zh"
    assert asked_for(None, None, {}) is None


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_language_of_a_locale(environment: dict[str, str], language: str) -> None:
    assert of_locale(environment) == language


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", True),
        ("gb18030", True),
        ("gbk", True),
        ("ascii", False),
        ("latin-1", False),
        ("nobody's", False),
    ],
)
def test_chinese_needs_its_letters(encoding: str, shown: bool) -> None:
    assert can_be_shown("zh", encoding) is shown
    assert can_be_shown("en", encoding)


def test_an_answer_is_given_again_in_its_language_only() -> None:
    assert {VARIABLE, *LOCALE_VARIABLES} <= {*answers._VARIABLES}


@pytest.mark.parametrize("value", ["fr", "chinese", "z", "C"])
def test_a_language_that_there_is_not_is_told(value: str) -> None:
    said = f"NPU_MIGRATE_LANGUAGE={value}: there is no such language; the languages are en, zh"
    assert wrong_variable({VARIABLE: value}) == said


@pytest.mark.parametrize("value", ["", "zh", "en", "zh_CN.UTF-8", "EN"])
def test_a_language_that_there_is_has_nothing_wrong(value: str) -> None:
    assert wrong_variable({VARIABLE: value}) is None
    assert wrong_variable({}) is None


@pytest.mark.parametrize("arguments", [["."], ["--list-rules"], ["--explain", "NPU101"], ["--clean-cache"]])
def test_the_command_ends_with_one_line(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "npu_migrate", *arguments],
        env={**os.environ, VARIABLE: "fr"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"npu-migrate: error: {wrong_variable({VARIABLE: 'fr'})}\n"


def test_an_option_comes_before_a_wrong_variable() -> None:
    arguments = [sys.executable, "-m", "npu_migrate", "--list-rules", "--language", "en"]
    done = subprocess.run(arguments, env={**os.environ, VARIABLE: "fr"}, capture_output=True, check=False)
    assert done.returncode == 0
