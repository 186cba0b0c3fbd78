"""Which code an edit changes, and that a path which does not enter it need not be followed a second time."""

from __future__ import annotations

from textwrap import dedent

import pytest

from abstract_run.judged import JUDGED, migrated, project_of, scripts, verdict_of
from npu_migrate.abstract_run import changes
from npu_migrate.abstract_run.changes import Changed, Touched
from npu_migrate.abstract_run.log import Log, Path

TEXT = dedent(
    """\
    import tensorflow as tf
    def outer(
        a,
    ):
        b = a
        def inner():
            c = b

        return inner
    class Model:
        size = 4
        def fit(self):
            pass
    def short(): return 1
    """
)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (1, {""}),
        (2, {""}),
        (3, {""}),
        (5, {"outer"}),
        (6, {"outer"}),
        (7, {"inner"}),
        (8, {"outer"}),
        (9, {"outer"}),
        (11, {""}),
        (13, {"fit"}),
        (14, {""}),
        (15, {""}),
    ],
)
def test_the_innermost_function_of_a_line(line: int, names: set[str]) -> None:
    project = project_of({"train.py": TEXT.encode()})
    (key,) = project.tree.targets
    facts = project.facts(key)
    assert facts is not None
    touched = Touched(project, {key: Changed(((line, line),), ())})
    entered = {
        "" if scope.kind in ("module", "class") else scope.name
        for scope in facts.scopes
        if scope.kind != "class"
        for statement in facts.statements
        if statement.scope == scope.id and touched.entered_by(_path(key, statement.id))
    }
    assert entered == names


def _path(key: str, statement: int) -> Path:
    return Path(Log(), frozenset({(key, statement)}), frozenset(), frozenset(), frozenset(), 1)


NOT_REACHED = """
def unused():
    it = ITERATOR
    ADDED
    return it.get_next()
with tf.Session() as sess:
    print(sess.run(tf.constant(1)))
"""


def test_an_edit_that_no_path_reaches_is_not_verified() -> None:
    assert migrated(NOT_REACHED, ADDED="pass").kind == "lost"


@pytest.mark.long
def test_the_verdict_is_the_same_when_every_path_is_followed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(scripts(case.before), scripts(case.after)) for case in JUDGED]
    quick = [verdict_of(before, after) for before, after in pairs]
    monkeypatch.setattr(changes.Touched, "entered_by", lambda _self, _path: True)
    slow = [verdict_of(before, after) for before, after in pairs]
    assert [(one.kind, one.reason, one.path) for one in quick] == [
        (one.kind, one.reason, one.path) for one in slow
    ]
