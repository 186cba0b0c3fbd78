"""What rules may ask for: small picklable values that name an ``ast`` node by its coordinates.

An intent says what should change, never how the text looks; `npu_migrate.rewrite` turns all intents of a
file into edits together, so that several of them may meet at one place.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from npu_migrate.places import Place


@dataclass(frozen=True, slots=True)
class Rename:
    """Replace the last identifier of the name, attribute or import alias at `place` by `new`.

    ``a.b.old`` becomes ``a.b.new``; in ``from m import old as x`` only ``old`` changes.
    """

    place: Place
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SetArgument:
    """Give the call at `place` the keyword argument `keyword` = `value` (source text).

    An argument of that keyword is replaced; else the keyword is added behind the last argument.
    """

    place: Place
    keyword: str
    value: str


@dataclass(frozen=True, slots=True)
class ReplaceExpression:
    """Replace the expression at `place` by the source text `code`."""

    place: Place
    code: str


@dataclass(frozen=True, slots=True)
class KeepInner:
    """Replace the expression at `place` by `inner`, one of its own sub-expressions.

    ``ds.batch(4).make_one_shot_iterator().get_next()`` with the inner expression ``ds.batch(4)``.
    Refused where that would lose a comment.
    """

    place: Place
    inner: Place


@dataclass(frozen=True, slots=True)
class DropItems:
    """Take `items` out of the list, tuple, set or call at `place`, whose items or arguments they are.

    The asker vouches that none of them has to be evaluated any more. Refused where that would lose a comment.
    """

    place: Place
    items: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class WrapExpression:
    """Put `before` and `after` around the expression at `place`: ``old`` → ``tf.group(old, new)``."""

    place: Place
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PassToFunction:
    """Pass the receiver of the method call at `place` to `function` (a dotted name) instead.

    ``E.method()`` becomes ``function(E)``, with all comments. Refused for a call with arguments.
    """

    place: Place
    function: str


@dataclass(frozen=True, slots=True)
class BindExpression:
    """Give the expression at `place` a name: ``A E B`` → ``name = E``, `then`, ``A name B``.

    The new statements go before the statement that contains the expression, in the given order; `then`
    are complete one-line statements. Refused where the expression is evaluated conditionally, repeatedly
    or late (lambda, comprehension element, right side of and/or, conditional branch, ``while`` test,
    ``elif`` test, second ``with`` item, decorator, default value), or after something impure.
    """

    place: Place
    name: str
    then: tuple[str, ...] = ()


class Side(enum.Enum):
    """Where a new statement goes, relative to a statement that is there."""

    BEFORE = "before"
    AFTER = "after"
    BODY_START = "body-start"


@dataclass(frozen=True, slots=True)
class InsertStatement:
    """Put the complete statement `code`, one line or a header and its block, beside the statement at `place`.

    `Side.BODY_START`: as the first statement of the compound statement's body (behind a docstring).
    Several insertions at one side of one statement are put in the order of `rank`, then of `code`.
    """

    place: Place
    side: Side
    code: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class ReplaceStatement:
    """Put the complete one-line statement `code` in the place of the simple statement at `place`.

    Without a code the statement goes, with its line. Refused where that would lose a comment, or leave a
    block without a statement.
    """

    place: Place
    code: str


@dataclass(frozen=True, slots=True)
class HoistStatement:
    """Move the simple statement at `place`, with its comments, above the statement at `above` around it.

    The asker vouches that it may run earlier. Refused for statements that share a line, and where a
    function or class lies between.
    """

    place: Place
    above: Place


@dataclass(frozen=True, slots=True)
class HoistExpression:
    """Give the expression at `place` a name above the statement at `above` that contains it.

    ``with a: f(E)`` → ``name = E``, ``with a: f(name)``. With a `header`, such as ``with b:``, the new
    statement is in a block of its own. The asker vouches that the expression may be evaluated earlier and
    without condition. Refused where a function, lambda or comprehension lies between.
    """

    place: Place
    name: str
    above: Place
    header: str = ""


@dataclass(frozen=True, slots=True)
class EncloseStatement:
    """Put the simple statement at `place` into a block of its own below `header`, such as ``with b:``.

    Refused for statements that share a line.
    """

    place: Place
    header: str


@dataclass(frozen=True, slots=True)
class AddImport:
    """Make sure that the module at `path` has the top-level import statement `code`, once."""

    path: str
    code: str


@dataclass(frozen=True, slots=True)
class AddModule:
    """Make sure that there is a file at `path` with the text of the module `template` of this tool.

    Refused where there is a file with another text.
    """

    path: str
    template: str


@dataclass(frozen=True, slots=True)
class ReplaceComment:
    """Replace what `place` covers of one comment by `text`.

    Without a text it goes, with the blanks beside it; a line on which nothing else stands goes as a whole.
    This is the only intent by which a comment may be lost.
    """

    place: Place
    text: str = ""


Intent = (
    Rename
    | SetArgument
    | ReplaceExpression
    | KeepInner
    | DropItems
    | WrapExpression
    | PassToFunction
    | BindExpression
    | InsertStatement
    | ReplaceStatement
    | HoistStatement
    | HoistExpression
    | EncloseStatement
    | AddImport
    | AddModule
    | ReplaceComment
)


def path_of(intent: Intent) -> str:
    """The key of the file that an intent changes."""
    return intent.path if isinstance(intent, AddImport | AddModule) else intent.place.path
