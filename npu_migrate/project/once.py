"""Questions that are asked of a project many times and answered once.

The answer may depend on the files of the project and on the arguments alone. Arguments are compared as
values; of a `Ref` only the expression counts, which stands in one place only, and the path into its value.

Each of these functions has the look-up written out. It is the code of a run that is called most, and with one
look-up for all of them an answer that is known would cost more than twice as much.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from npu_migrate.index.facts import FileFacts
from npu_migrate.project.answers import Answers, Gathering, below
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Function = Callable[Concatenate[Project, _Asked], _Answer]

_UNANSWERED: Any = object()
_DEEPEST = 40
"""How many questions may wait for each other. Real programs were seen to need 10; generated code may need any
number, and Python's stack ends."""


class _Provisional(NamedTuple):
    """What stands in the memo for an answer that is being worked out."""

    answer: object


def once(function: _Function[_Asked, _Answer]) -> _Function[_Asked, _Answer]:
    """`function`, run once for each project and choice of arguments; its answer is shared, not copied."""

    @wraps(function)
    def ask(project: Project, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
        answers = project.answers
        question = (function, args, *kwargs.items()) if kwargs else (function, args)
        known = answers.memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            known = answers.memo[question] = answers.followed(
                question, lambda: function(project, *args, **kwargs)
            )
        if answers.trail is not None:
            answers.trail.note(question)
        answer: _Answer = known
        return answer

    return ask


def gathered(function: Callable[[Project], _Answer]) -> Callable[[Project], _Answer]:
    """Like `once`, for what is gathered from all files, and mostly the same after one of them has changed.

    Answers are compared by value: if one is the same, what rests on it stays true.
    """

    @wraps(function)
    def ask(project: Project) -> _Answer:
        answers = project.answers
        question = Gathering(function)
        known = answers.memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            known = answers.memo[question] = answers.followed(question, lambda: function(project))
        if answers.trail is not None:
            answers.trail.note(question)
        answer: _Answer = known
        return answer

    return ask


def once_in_cycles(
    meanwhile: object,
) -> Callable[[_Function[_Asked, _Answer]], _Function[_Asked, _Answer]]:
    """Like `once`, for questions whose answer may need itself: that gets `meanwhile`, also an answer."""

    def decorate(function: _Function[_Asked, _Answer]) -> _Function[_Asked, _Answer]:
        @wraps(function)
        def ask(project: Project, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
            answers = project.answers
            question = (function, args, *kwargs.items()) if kwargs else (function, args)
            known = answers.memo.get(question, _UNANSWERED)
            if known.__class__ is _Provisional:
                known = _provisional(answers, known.answer)
            elif known is _UNANSWERED:
                known = _worked_out(answers, question, meanwhile, lambda: function(project, *args, **kwargs))
            if answers.trail is not None:
                answers.trail.note(question)
            answer: _Answer = known
            return answer

        return ask

    return decorate


def _worked_out(
    answers: Answers, question: object, meanwhile: object, answer: Callable[[], _Answer]
) -> _Answer:
    """The answer to a question for which `meanwhile` stands as long as it is worked out.

    At the end of too long a chain of questions it is `meanwhile`, which is not kept: who asks later, with
    fewer questions waiting, may get a better answer.
    """
    if answers.waiting >= _DEEPEST:
        return cast("_Answer", _provisional(answers, meanwhile))
    answers.memo[question] = _Provisional(meanwhile)
    answers.waiting += 1
    try:
        found = answers.memo[question] = answers.followed(question, answer)
        return found
    except BaseException:
        del answers.memo[question]
        raise
    finally:
        answers.waiting -= 1


def _provisional(answers: Answers, meanwhile: object) -> object:
    answers.provisional += 1
    return meanwhile


def once_settled(function: _Function[_Asked, _Answer]) -> _Function[_Asked, _Answer]:
    """Like `once`, but an answer that may rest on a provisional one is not kept."""

    @wraps(function)
    def ask(project: Project, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
        answers = project.answers
        question = (function, args, *kwargs.items()) if kwargs else (function, args)
        known = answers.memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            before = answers.provisional
            known = answers.followed(question, lambda: function(project, *args, **kwargs))
            if answers.provisional == before:
                answers.memo[question] = known
        if answers.trail is not None:
            answers.trail.note(question)
        answer: _Answer = known
        return answer

    return ask


def once_per_file(function: Callable[[FileFacts], _Answer]) -> Callable[[Project, FileFacts], _Answer]:
    """`function`, run once for the facts of each file, also when other files change in between."""

    @wraps(function)
    def ask(project: Project, facts: FileFacts) -> _Answer:
        answers = project.answers
        question = (function, facts.key)
        known = answers.of_file.get(question)
        if known is None or known[0] is not facts:
            known = answers.of_file[question] = (facts, function(facts))
        return cast("_Answer", known[1])

    return ask


def once_below(
    function: Callable[Concatenate[Project, str, _Asked], _Answer],
) -> Callable[Concatenate[Project, str, _Asked], _Answer]:
    """`function`, run once for a file and choice of arguments; the answer outlives changes of other files.

    It may depend on the facts of this file alone, and of those that it leads to by `resolve_module`, from
    file to file.
    """

    @wraps(function)
    def ask(project: Project, key: str, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
        answers = project.answers
        memo = answers.below.get(key)
        if memo is None:
            memo = answers.below[key] = {}
        question = (function, args, *kwargs.items()) if kwargs else (function, args)
        known = memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            known = memo[question] = function(project, key, *args, **kwargs)
        if answers.trail is not None:
            answers.trail.note(below(key))
        answer: _Answer = known
        return answer

    return ask


def once_at(function: Callable[[Project, Ref], _Answer]) -> Callable[[Project, Ref], _Answer]:
    """`function`, run once for each project and expression."""

    @wraps(function)
    def ask(project: Project, ref: Ref) -> _Answer:
        answers = project.answers
        question = (function, ref.expr, ref.path)
        known = answers.memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            known = answers.memo[question] = answers.followed(question, lambda: function(project, ref))
        if answers.trail is not None:
            answers.trail.note(question)
        answer: _Answer = known
        return answer

    return ask


def kept_at(function: Callable[[Project, Ref], _Answer]) -> Callable[[Project, Ref], _Answer]:
    """`function`, whose answers are kept only where they outlive the change of a file, in an editor.

    Elsewhere they would cost more memory than time. An answer that rests on a provisional one is not kept.
    """

    @wraps(function)
    def ask(project: Project, ref: Ref) -> _Answer:
        answers = project.answers
        if answers.trail is None:
            return function(project, ref)
        question = (function, ref.expr, ref.path)
        known = answers.memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            known, settled = answers.trail.follow(question, lambda: function(project, ref))
            if settled:
                answers.memo[question] = known
        answers.trail.note(question)
        answer: _Answer = known
        return answer

    return ask


def once_at_in_cycles(
    meanwhile: object,
) -> Callable[[Callable[[Project, Ref], _Answer]], Callable[[Project, Ref], _Answer]]:
    """Like `once_at`, for questions whose answer may need itself: that gets `meanwhile`, also an answer."""

    def decorate(function: Callable[[Project, Ref], _Answer]) -> Callable[[Project, Ref], _Answer]:
        @wraps(function)
        def ask(project: Project, ref: Ref) -> _Answer:
            answers = project.answers
            question = (function, ref.expr, ref.path)
            known = answers.memo.get(question, _UNANSWERED)
            if known.__class__ is _Provisional:
                known = _provisional(answers, known.answer)
            elif known is _UNANSWERED:
                known = _worked_out(answers, question, meanwhile, lambda: function(project, ref))
            if answers.trail is not None:
                answers.trail.note(question)
            answer: _Answer = known
            return answer

        return ask

    return decorate
