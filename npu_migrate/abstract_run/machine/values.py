"""What names stand for in an abstract run.

Constants and tuples are Python's own. Everything else has one of these classes, and is the same as
itself only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npu_migrate.index.facts import FileFacts, Scope

Value = object
"""Any of the classes here, a constant, or a tuple of values."""

PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))
"""The types of constants."""


class Unknown:
    """A value from outside of the program: a number, a text, an array, a file. It never is an object of ours.

    Two of them may be the same value, one of them always is.
    """

    __slots__ = ("choices", "what")

    def __init__(self, what: str = "", choices: tuple[Value, ...] = ()) -> None:
        self.what = what
        self.choices = choices


A_LENGTH = "a length"
"""What is unknown of something that has a number of items, which may be 0."""


@dataclass(frozen=True, slots=True)
class External:
    """A module, function, class or constant of a library, by its dotted name."""

    name: str


@dataclass(eq=False, slots=True)
class Sequence:
    """A list or set. A `vague` one may have more or fewer items, which are like those it has."""

    items: list[Value]
    vague: bool = False
    kind: str = "list"


@dataclass(eq=False, slots=True)
class Table:
    """A dict. A `vague` one may have other keys, and values that are like those it has.

    `default` makes what it has not, as in a ``defaultdict``.
    """

    items: dict[Value, Value]
    vague: bool = False
    default: Value = None


class Frame:
    """The names of one scope while its code runs; `statement` is where it is."""

    __slots__ = ("call", "first", "module", "names", "outer", "owner", "scope", "statement")

    def __init__(self, module: Module, scope: Scope, outer: Frame | None) -> None:
        self.module = module
        self.scope = scope
        self.outer = outer
        self.names: dict[str, Value] = {}
        self.statement = 0
        self.owner: Class | None = None
        self.first: Value = None
        self.call = 0

    @property
    def facts(self) -> FileFacts:
        """The facts of its file. Only the module refers to them: see `Run.let_go`."""
        return self.module.facts


@dataclass(eq=False, slots=True)
class Module:
    """A file that was imported, or is being imported; `stars` are libraries whose names it has all."""

    key: str
    facts: FileFacts
    name: str
    frame: Frame = field(init=False)
    stars: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.frame = Frame(self, self.facts.scopes[0], None)

    def let_go(self) -> None:
        """Part with the facts of the file and with all names: nobody will look them up any more."""
        for value in self.frame.names.values():
            if isinstance(value, Class):
                value.names.clear()
                value.order = ()
        self.frame.names.clear()
        del self.frame, self.facts


@dataclass(eq=False, slots=True)
class Function:
    """A function or lambda of the program, with the frame it was made in."""

    scope: Scope
    frame: Frame
    defaults: dict[str, Value]
    yields: bool
    owner: Class | None = None
    fields: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Class:
    """A class of the program. `order` is where names are looked up: itself, then its bases."""

    name: str
    module: Module
    bases: tuple[Value, ...]
    names: dict[str, Value]
    order: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class Instance:
    """An object of a class of the program."""

    cls: Class
    fields: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Method:
    """A function with its first argument."""

    function: Value
    receiver: Value


@dataclass(eq=False, slots=True)
class Partial:
    """A function with some arguments."""

    function: Value
    arguments: Arguments


@dataclass(eq=False, slots=True)
class Descriptor:
    """``staticmethod``, ``classmethod`` or ``property`` around a function."""

    kind: str
    function: Value
    setter: Value = None


@dataclass(eq=False, slots=True)
class Generator:
    """What calling a function with ``yield`` returns. `waiting` are the values it still gives."""

    waiting: Iterator[Value]


@dataclass(eq=False, slots=True)
class Manager:
    """A context manager made of a generator function."""

    generator: Generator


@dataclass(eq=False, slots=True)
class Raising:
    """An exception: the dotted name of its class, or the class of the program."""

    kind: str
    arguments: tuple[Value, ...] = ()


@dataclass(slots=True)
class Arguments:
    """What a call gives. A `vague` one may give more than that, and as many parts of `rest` as there are."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    vague: bool = False
    rest: Value = None


@dataclass(eq=False, slots=True)
class Native:
    """A function whose effect is written down here, not in the program."""

    name: str
    function: Callable[[Arguments], Value]


def shape(value: Value) -> str:
    """A word for what a value is, for messages."""
    return type(value).__name__.lower()
