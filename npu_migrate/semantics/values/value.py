"""What is known of a value: its possible constants, each with where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeGuard

from npu_migrate.findings import Related
from npu_migrate.index.facts import Constant
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.sources.source import is_notebook

_MOST_ALTERNATIVES = 8
"""A value with more possible constants than this counts as unknown."""


class Step(NamedTuple):
    """One stop on the way from a use back to the constant.

    `ref` is the expression the way leads to, `text` says how ("the default of flag --n"), `name` is what
    was read there: the name of a variable, flag, key or parameter.
    """

    ref: Ref
    text: str
    name: str
    is_default: bool = False

    @property
    def place(self) -> Place:
        """Where the expression stands."""
        return self.ref.place


class Known(NamedTuple):
    """One constant that a value may be: a number, text, bool, None, or a tuple or list of them.

    `steps` lead from the use to the constant; a literal at the use itself has none. `is_default` is true
    when whoever starts or calls the code may give another value instead.
    """

    constant: Any
    steps: tuple[Step, ...] = ()
    is_default: bool = False


class Value(NamedTuple):
    """All constants that a value may be; none of them when it is unknown.

    With several alternatives nothing is known of which one is taken, so a statement about the value holds
    only if it holds for every one (`every`).
    """

    alternatives: tuple[Known, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the value is one of the alternatives for certain."""
        return bool(self.alternatives)

    @property
    def is_default(self) -> bool:
        """Whether any of the alternatives is only a default."""
        return any(known.is_default for known in self.alternatives)

    @property
    def only(self) -> Known | None:
        """The single constant, where there is just one."""
        return self.alternatives[0] if len(self.alternatives) == 1 else None

    def every(self, test: Callable[[Any], bool]) -> bool:
        """Whether the value is known and every possible constant passes `test`."""
        return self.is_known and all(test(known.constant) for known in self.alternatives)


UNKNOWN = Value()


def constant(value: Any) -> Value:
    """A value that stands at its use as a literal."""
    return Value((Known(value),))


def same(left: Any, right: Any) -> bool:
    """Whether two constants are equal and of one type, all the way down: ``1``, ``1.0``, ``True`` differ."""
    if type(left) is not type(right):
        return False
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a constant is a whole number; ``True`` is none."""
    return type(value) is int


def is_count(value: object) -> bool:
    """Whether a constant is a whole number above 0."""
    return is_integer(value) and value > 0


def is_whole(value: object) -> TypeGuard[int | float]:
    """Whether a constant is a whole number, ``1e9`` too: TensorFlow takes steps that are written so."""
    return is_integer(value) or (type(value) is float and value.is_integer())


def is_step_count(value: object) -> TypeGuard[int | float]:
    """Whether a constant is a number of steps: whole and above 0."""
    return is_whole(value) and value > 0


def join(values: Iterable[Value]) -> Value:
    """The value that is one of `values`; unknown if one of them is, or if there is none."""
    found: list[Known] = []
    for value in values:
        if not value.is_known:
            return UNKNOWN
        for known in value.alternatives:
            twin = next((i for i, other in enumerate(found) if same(other.constant, known.constant)), None)
            if twin is None:
                found.append(known)
            elif found[twin].is_default and not known.is_default:
                found[twin] = known
    return Value(tuple(found)) if len(found) <= _MOST_ALTERNATIVES else UNKNOWN


def agreed(values: Iterable[Value]) -> Value:
    """The one constant that all `values` are; unknown if they differ or one of them is unknown."""
    found = join(values)
    return found if found.only is not None else UNKNOWN


def combine(function: Callable[[Sequence[Any]], Any], operands: Sequence[Value]) -> Value:
    """What `function` makes of every choice of the operands' constants.

    Unknown when an operand is, or when `function` raises `ArithmeticError`, `LookupError`, `TypeError` or
    `ValueError`.
    """
    if not all(operand.is_known for operand in operands):
        return UNKNOWN
    results: list[Value] = []
    for choice in product(*(operand.alternatives for operand in operands)):
        try:
            made = function([known.constant for known in choice])
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return UNKNOWN
        steps = tuple(dict.fromkeys(step for known in choice for step in known.steps))
        results.append(Value((Known(made, steps, any(known.is_default for known in choice)),)))
        if len(results) > _MOST_ALTERNATIVES**2:
            return UNKNOWN
    return join(results)


def led_to(value: Value, step: Step) -> Value:
    """`value`, reached by way of `step` first."""
    return Value(
        tuple(
            Known(known.constant, (step, *known.steps), known.is_default or step.is_default)
            for known in value.alternatives
        )
    )


# -- words ---------------------------------------------------------------------------------------------


def telling_step(known: Known) -> Step | None:
    """The step that explains a constant best: the default it is, else where it is written."""
    default = next((step for step in known.steps if step.is_default), None)
    return default or (known.steps[-1] if known.steps else None)


def describe(project: Project, subject: str, known: Known) -> str:
    """``subject = 100 (the default of flag --n in settings.py:3)``; just ``subject = 100`` for a literal."""
    text = f"{subject} = {known.constant!r}"
    step = telling_step(known)
    if step is None:
        return text
    origin = f"computed from {step.text}" if _is_changed(step, known) else step.text
    return f"{text} ({origin} in {location(project, step.place)})"


def _is_changed(step: Step, known: Known) -> bool:
    """Whether a step leads to a literal that is another value than the constant, as for ``2 * N``."""
    written = step.ref.expr
    return isinstance(written, Constant) and str(written.value) != str(known.constant)


def location(project: Project, place: Place) -> str:
    """``folder/file.py:3`` or ``folder/file.ipynb:cell 2:3``, the path below the project's root."""
    path = place.path.removeprefix(f"{project.tree.root.as_posix()}/")
    if is_notebook(place.path):
        source = project.tree.source(place.path)
        _, cell = source.place(*source.lines.offsets(place.span))
        if cell is not None:
            return f"{path}:cell {cell.number}:{cell.range.start.line}"
    return f"{path}:{place.span[0]}"


def related(known: Known) -> tuple[Related, ...]:
    """The stops on the way to a constant, for a finding that rests on it."""
    return tuple(Related(step.place, step.text) for step in known.steps)
