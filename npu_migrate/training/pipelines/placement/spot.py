"""What is planned, and the code of the statements that initialize an iterator."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import FileFacts, Statement
from npu_migrate.intents import BindExpression, InsertStatement, Intent, Side
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.training.pipelines.iterators import Creation, Holder
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.sessions import Session


class Plan(NamedTuple):
    """What has to change so that an iterator's initializer runs.

    `obstacle` names why there is no edit (``comprehension``, ``lambda``, ``conditional``, ``dataset``,
    ``statement``, ``module``); it is empty when `intents` do the whole job. `returns_dataset` tells that
    the dataset itself is returned and no iterator is left, `on_first_use` that the iterator is made by the
    module that has sessions initialize it, `by_helper` that a function of the file makes it.
    """

    intents: tuple[Intent, ...]
    applicability: Applicability
    obstacle: str = ""
    returns_dataset: bool = False
    on_first_use: bool = False
    by_helper: bool = False


def manual(obstacle: str) -> Plan:
    """A plan without an edit, and why."""
    return Plan((), Applicability.UNSAFE, obstacle)


class Spot(NamedTuple):
    """An iterator about to be initialized: its name, and the statement after which it is there.

    `rank` orders the initializations that meet at one place: that of the creation's line.
    """

    project: Project
    facts: FileFacts
    creation: Creation
    scope: int
    statement: Statement
    name: Holder | None
    fresh: str
    rank: int


def insert_at(facts: FileFacts, point: tuple[int, str], code: str, rank: int) -> InsertStatement:
    """The intent for a statement at `point`, as `npu_migrate.training.pipelines.order` gives it."""
    return InsertStatement(Place(facts.key, facts.statements[point[0]].span), Side(point[1]), code, rank)


def run_code(spot: Spot, session: str) -> str:
    """``sess.run(iterator.initializer)``."""
    return f"{session}.run({initializer_code(spot)})"


def run_in(spot: Spot, session: Session) -> str:
    """The statement that runs the initializer in a session, named or not."""
    if session.text is not None:
        return run_code(spot, session.text)
    if session.of_test:
        return f"self.evaluate({initializer_code(spot)})"
    return run_code(spot, default_session(spot))


def initializer_code(spot: Spot) -> str:
    """``iterator.initializer``, or a list of them."""
    if spot.name is not None and spot.name.each:
        return f"[{spot.fresh}.initializer for {spot.fresh} in {spot.name.text}]"
    return f"{iterator_text(spot)}.initializer"


def iterator_text(spot: Spot) -> str:
    """What reads the iterator."""
    return spot.name.text if spot.name is not None else spot.fresh


def default_session(spot: Spot) -> str:
    """``tf.get_default_session()`` in the file's spelling."""
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    return f"{spelling or 'tf'}.get_default_session()"


def after_creation(spot: Spot, lines: tuple[str, ...]) -> tuple[Intent, ...]:
    """The iterator's name if it needs one, and the given statements right behind its creation."""
    facts = spot.facts
    if spot.name is None:
        return (BindExpression(spot.creation.ref.place, spot.fresh, lines),)
    return tuple(insert_at(facts, (spot.statement.id, "after"), line, spot.rank) for line in lines)
