"""Who calls a function, and whether anyone else might."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, Call, Expr, Name, Scope, last_name
from npu_migrate.project.once import once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import call_sites, call_targets, externals_called, is_partial
from npu_migrate.semantics.inheritance import family
from npu_migrate.semantics.resolution import Definition, receiver_class, scope_of, symbols
from npu_migrate.semantics.uses import argument_name

_KNOWN_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "contextmanager", "lru_cache", "wraps"}
)
_TYPE_TESTS = frozenset({"isinstance", "issubclass", "type"})


class Callers(NamedTuple):
    """The callers of a function.

    `sites` are its calls, `partials` the ``functools.partial`` calls that fix some of its arguments.
    `escapes`: it is also handed on as a value, so that code we cannot see may call it. `hidden`: there are
    calls that may or may not be its own.
    """

    sites: tuple[Ref, ...]
    partials: tuple[Ref, ...]
    escapes: bool
    hidden: bool

    @property
    def all_seen(self) -> bool:
        """Whether nobody else calls the function: `sites` are all calls of it."""
        return not (self.partials or self.escapes or self.hidden)

    @property
    def only(self) -> Ref | None:
        """The only call of the function; None if there are others, or may be."""
        return self.sites[0] if len(self.sites) == 1 and self.all_seen else None


@once_in_cycles(Callers((), (), False, True))
def callers(project: Project, target: Definition) -> Callers:
    """Everything known of who calls the function (or, for ``__init__``, constructs the class) `target`."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    if scope.kind != "function":
        return Callers(call_sites(project, target), (), False, False)
    is_method = scope.parent != NOTHING and facts.scopes[scope.parent].kind == "class"
    if is_method and scope.name.startswith("__") and scope.name != "__init__":
        return Callers((), (), False, True)
    owner = Definition(target.key, scope.parent)
    constructed = is_method and scope.name == "__init__"
    name = facts.scopes[scope.parent].name if constructed else scope.name
    found = _mentioned(project, target, owner if constructed else target, name)
    return found._replace(escapes=found.escapes or is_wrapped(scope))


@once_in_cycles(Callers((), (), False, True))
def constructions(project: Project, owner: Definition) -> Callers:
    """Who makes instances of a class that has no ``__init__`` of its own, such as a dataclass."""
    found = _mentioned(project, owner, owner, scope_of(project, owner).name)
    return found._replace(hidden=found.hidden or _makes_itself(project, owner))


def _makes_itself(project: Project, owner: Definition) -> bool:
    """Whether a class makes instances without its name: ``cls(…)``, ``type(self)(…)``."""
    facts = project.facts(owner.key)
    assert facts is not None
    for site in facts.calls:
        func = site.call.func
        if isinstance(func, Name) and receiver_class(facts, site.scope, func.id) == owner.scope:
            return True
        if isinstance(func, Call) and last_name(func.func) == "type":
            return True
    return False


def _mentioned(project: Project, target: Definition, subject: Definition, name: str) -> Callers:
    """The calls of `target`, by the mentions of `subject`, which it belongs to or is, as `name`."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    is_method = subject == target and scope.parent != NOTHING and facts.scopes[scope.parent].kind == "class"
    owner = Definition(target.key, scope.parent)
    sites = dict.fromkeys(call_sites(project, target))
    partials: list[Ref] = []
    hidden = target.key in project.programs.ambiguous
    escapes = False
    for mention in _mentions(project, target.key, name):
        parent = mention.parent
        call = Ref(mention.key, mention.scope, mention.statement, parent) if parent is not None else None
        if isinstance(parent, Call) and parent.func is mention.expr:
            assert call is not None
            if call in sites:
                continue
            if target in _called_by(project, call, target):
                sites[call] = None
            elif is_method and _may_call(project, call, owner):
                hidden = True
        elif not _means(project, mention, subject, is_method):
            continue
        elif call is not None and is_partial(project, call) and _is_first(call, mention.expr):
            partials.append(call)
        elif not _is_harmless(project, mention):
            escapes = True
    return Callers(tuple(sites), tuple(partials), escapes, hidden)


def is_wrapped(scope: Scope) -> bool:
    """Whether a decorator stands above a function that may put another one in its place."""
    return any(last_name(_called(item)) not in _KNOWN_DECORATORS for item in scope.decorators)


def _called_by(project: Project, call: Ref, target: Definition) -> tuple[object, ...]:
    """What a call runs; a class that is asked for stands for itself, not for its ``__init__``."""
    if scope_of(project, target).kind != "class":
        return call_targets(project, call)
    assert isinstance(call.expr, Call)
    return symbols(project, call.key, call.scope, call.expr.func)


class _Mention(NamedTuple):
    key: str
    scope: int
    statement: int
    expr: Expr
    parent: Expr | None


def _mentions(project: Project, home: str, name: str) -> Iterator[_Mention]:
    names = sorted({name} | aliases_of(project, {name}))
    for key in _files_with(project, home, name, names):
        for spelling in names:
            for site in (*project.names(key, spelling), *project.attributes(key, spelling)):
                if not site.stored:
                    yield _Mention(key, site.scope, site.statement, site.expr, site.parent)


def _files_with(project: Project, home: str, name: str, spellings: Iterable[str]) -> Iterator[str]:
    """The relevant files near `home` with one of `spellings`, and others that import it and have `name`."""
    near = project.neighbours(home)
    relevant = {key for spelling in spellings for key in project.files_mentioning(spelling)}
    yield from sorted(relevant & near)
    yield from project.other_importers(home, name)


def _means(project: Project, mention: _Mention, subject: Definition, is_method: bool) -> bool:
    """Whether a name that is not called stands for `subject`; a method of an unknown object may."""
    found = symbols(project, mention.key, mention.scope, mention.expr)
    if subject in found:
        return True
    return is_method and not found and isinstance(mention.expr, Attribute)


def _may_call(project: Project, call: Ref, owner: Definition) -> bool:
    """Whether a call of something with the method's name may be the method's, an override included."""
    targets = call_targets(project, call)
    if targets:
        members = family(project, owner)
        return any(_owner_of(project, target) in members for target in targets)
    assert isinstance(call.expr, Call)
    return isinstance(call.expr.func, Attribute) and not externals_called(project, call)


def _owner_of(project: Project, target: Definition) -> Definition:
    return Definition(target.key, scope_of(project, target).parent)


def _is_first(call: Ref, expr: Expr) -> bool:
    assert isinstance(call.expr, Call)
    return argument_name(call.expr, expr) == "0"


def _is_harmless(project: Project, mention: _Mention) -> bool:
    """A mention that calls nothing: a base class, a type test, an attribute of the class."""
    parent = mention.parent
    if parent is None:
        facts = project.facts(mention.key)
        assert facts is not None
        statement = facts.statements[mention.statement]
        return statement.kind == "ClassDef" or (statement.kind == "Expr")
    if isinstance(parent, Attribute):
        return True
    return isinstance(parent, Call) and isinstance(parent.func, Name) and parent.func.id in _TYPE_TESTS


def _called(decorator: Expr) -> Expr:
    return decorator.func if isinstance(decorator, Call) else decorator
