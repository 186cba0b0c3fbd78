"""Questions that are asked of a project many times and answered once.

Only for functions whose answer depends on the project's files and on hashable arguments alone. A question
about an expression is better kept under the expression itself, which is compared by identity, than under
the whole `Ref`: such functions use `Project.memo` directly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from npu_migrate.project.project import Project

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Function = Callable[Concatenate[Project, _Asked], _Answer]

_UNANSWERED = object()


def once(function: _Function[_Asked, _Answer]) -> _Function[_Asked, _Answer]:
    """`function`, run once for each project and choice of arguments; its answer is shared, not copied."""

    @wraps(function)
    def ask(project: Project, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
        question = _question(function, args, kwargs)
        known = project.memo.get(question, _UNANSWERED)
        if known is _UNANSWERED:
            known = project.memo[question] = function(project, *args, **kwargs)
        return cast("_Answer", known)

    return ask


def once_in_cycles(
    meanwhile: object,
) -> Callable[[_Function[_Asked, _Answer]], _Function[_Asked, _Answer]]:
    """Like `once`, for questions whose answer may need itself: that gets `meanwhile`, also an answer."""

    def decorate(function: _Function[_Asked, _Answer]) -> _Function[_Asked, _Answer]:
        @wraps(function)
        def ask(project: Project, /, *args: _Asked.args, **kwargs: _Asked.kwargs) -> _Answer:
            question = _question(function, args, kwargs)
            known = project.memo.get(question, _UNANSWERED)
            if known is _UNANSWERED:
                project.memo[question] = meanwhile
                known = project.memo[question] = function(project, *args, **kwargs)
            return cast("_Answer", known)

        return ask

    return decorate


def _question(function: object, args: tuple[object, ...], kwargs: dict[str, object]) -> Hashable:
    return (function, args, *kwargs.items()) if kwargs else (function, args)
