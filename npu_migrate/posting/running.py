"""Reads what is posted, plans, and does it; again from the beginning where an answer got lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from npu_migrate.posting.client import RefusedError
from npu_migrate.posting.placing import Placed, placed
from npu_migrate.posting.planning import Change, Plan, plan
from npu_migrate.posting.remarks import AnswerLostError, PostingError, Pull, Review
from npu_migrate.posting.services.service import Service

ROUNDS = 4

_MAY_NOT = (403, 404, 405, 422)
"""How services refuse to resolve a thread. The text of its comment then says alone that it is mended."""


class Asked(NamedTuple):
    """Which pull request: its number, or else the commit in which it ends; if both are given, both hold."""

    number: int | None
    commit: str | None


class Outcome(NamedTuple):
    """What was done, or would be. `note` says why nothing was tried; `unsettled` counts threads left open."""

    pull: Pull
    plan: Plan = Plan()
    note: str = ""
    unsettled: int = 0


def post(
    service: Service, review: Review, asked: Asked, *, dry_run: bool, sleep: Callable[[float], None]
) -> Outcome:
    """Make the comments of the pull request say what `review` says. Raises `PostingError`."""
    pull = _found(service, asked)
    if not pull.is_open:
        return Outcome(pull, note=f"pull request {pull.number} is not open any more")
    if asked.commit is not None and pull.head != asked.commit:
        return Outcome(pull, note=f"pull request {pull.number} has moved on to commit {pull.head[:10]}")
    want = placed(review, service.diff(pull), service.dress)
    first = plan(want, service.existing(pull), pull.head)
    if dry_run or first.is_empty:
        return Outcome(pull, first)
    return Outcome(pull, first, unsettled=_until_done(service, pull, want, first, sleep))


def _found(service: Service, asked: Asked) -> Pull:
    if asked.number is not None:
        return service.pull(asked.number)
    assert asked.commit is not None, "a pull request is asked for by its number or by its commit"
    pulls: Sequence[Pull] = service.pulls_at(asked.commit)
    if len(pulls) == 1:
        return pulls[0]
    if not pulls:
        raise PostingError(f"no open pull request ends in commit {asked.commit[:10]}")
    numbers = ", ".join(str(one.number) for one in pulls)
    raise PostingError(
        f"several pull requests end in commit {asked.commit[:10]} ({numbers}); name one with --pull-request"
    )


def _until_done(
    service: Service, pull: Pull, want: Placed, todo: Plan, sleep: Callable[[float], None]
) -> int:
    """Do `todo`, and what is left of it after an answer got lost; gives the number of unsettled threads."""
    for number in range(1, ROUNDS + 1):
        try:
            return _do(service, pull, todo)
        except AnswerLostError as error:
            lost = error
        # The service may need a moment until it shows what it has made.
        sleep(min(2.0 ** (number - 1), 4.0))
        todo = plan(want, service.existing(pull), pull.head)
        if todo.is_empty:
            return 0
    raise PostingError(
        f"the service has not answered {lost} clearly in {ROUNDS} attempts; run the command again later, "
        "nothing is posted twice"
    )


def _do(service: Service, pull: Pull, todo: Plan) -> int:
    unsettled = 0
    for change in (*todo.resolve, *todo.update):
        # The thread comes first: a comment that says it is mended is not looked at again.
        unsettled += not _settled(service, pull, change)
        service.update(pull, change.posted, change.body)
    if todo.create:
        service.create(pull, todo.create)
    for text in todo.summary:
        service.create_summary(pull, text)
    return unsettled


def _settled(service: Service, pull: Pull, change: Change) -> bool:
    """Bring the thread into the state that it has to have; False if the token may not."""
    if change.settled in (None, change.posted.settled):
        return True
    try:
        service.settle(pull, change.posted, bool(change.settled))
    except RefusedError as error:
        if error.status in _MAY_NOT:
            return False
        raise
    return True
