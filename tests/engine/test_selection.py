from __future__ import annotations

import pytest

from npu_migrate.engine.fingerprint import fingerprint
from npu_migrate.engine.selection import is_selected, require_known, selection_of
from npu_migrate.settings import Settings, SettingsError


@pytest.mark.parametrize(
    ("code", "select", "ignore", "expected"),
    [
        ("NPU101", "", "", True),
        ("NPU101", "NPU1", "", True),
        ("NPU201", "NPU1", "", False),
        ("NPU101", "", "NPU1", False),
        ("NPU101", "NPU101", "NPU1", True),
        ("NPU101", "NPU1", "NPU101", False),
        ("NPU101", "NPU101", "NPU101", False),
        ("NPU101", "NPU", "NPU1", False),
        ("NPU210", "", "", False),
        ("NPU210", "NPU2", "", False),
        ("NPU210", "NPU210", "", True),
        ("NPU210", "NPU210", "NPU2", True),
        ("NPU903", "NPU1", "", True),
        ("NPU903", "", "NPU9", False),
        ("NPU903", "NPU903", "NPU9", True),
    ],
)
def test_the_longer_prefix_wins(code: str, select: str, ignore: str, expected: bool) -> None:
    assert is_selected(code, tuple(select.split()), tuple(ignore.split())) is expected


def test_codes_may_be_ignored_in_some_files() -> None:
    settings = Settings(per_file_ignores=(("tests/", ("NPU1",)), ("*_test.py", ("NPU201",))))
    selection = selection_of(settings, "/project")
    assert not selection.wants("NPU101", "/project/tests/a.py")
    assert selection.wants("NPU201", "/project/tests/a.py")
    assert not selection.wants("NPU201", "/project/pkg/a_test.py")
    assert selection.wants("NPU101", "/project/pkg/a_test.py")


def test_unknown_codes_name_the_known_ones() -> None:
    known = {"NPU101": "first-rule", "NPU102": "second-rule", "NPU201": "third-rule"}
    require_known(["NPU1", "NPU201", "NPU"], known, "--select")
    with pytest.raises(SettingsError, match=r"^--select: no rule has the code NPU110; did you mean NPU101"):
        require_known(["NPU1", "NPU110"], known, "--select")
    with pytest.raises(SettingsError, match=r"no rule has the code E501; --list-rules shows the codes$"):
        require_known(["E501"], known, "--select")
    with pytest.raises(SettingsError, match=r"the code SECOND-RULE; that is the name of NPU102$"):
        require_known(["SECOND-RULE"], known, "--select")


def test_a_fingerprint_survives_moves_and_blanks_only() -> None:
    one = fingerprint("NPU101", "pkg/a.py", "\tit = ds.f( )", 0)
    assert one == fingerprint("NPU101", "pkg/a.py", "it  =  ds.f( )  ", 0)
    others = [
        fingerprint("NPU102", "pkg/a.py", "it = ds.f( )", 0),
        fingerprint("NPU101", "pkg/b.py", "it = ds.f( )", 0),
        fingerprint("NPU101", "pkg/a.py", "it = ds.g( )", 0),
        fingerprint("NPU101", "pkg/a.py", "it = ds.f( )", 1),
    ]
    assert len({one, *others}) == 5
    assert one == "208fa1f21a62cafa83a0da26ffd97747", "published fingerprints never change"
