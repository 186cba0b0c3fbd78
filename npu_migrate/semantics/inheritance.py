"""The classes of a project by inheritance: their methods, subclasses and families."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import NOTHING, FileFacts
from npu_migrate.index.plain_bases import is_plain_base
from npu_migrate.project.once import gathered, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.semantics.resolution import (
    Definition,
    External,
    all_bases,
    attribute_symbols,
    scope_of,
)


def methods_named(project: Project, owner: Definition, name: str) -> tuple[Definition, ...]:
    """What `name` may stand for as a method of the class `owner`, inherited ones included."""
    return tuple(s for s in attribute_symbols(project, owner, name) if isinstance(s, Definition))


def is_below_library(project: Project, method: Definition) -> bool:
    """Whether the class of a method is derived from another library's, which may call the method by its name.

    False for a function outside of classes.
    """
    facts = project.facts(method.key)
    assert facts is not None
    owner = facts.scopes[method.scope].parent
    if owner == NOTHING or facts.scopes[owner].kind != "class":
        return False
    return any(
        isinstance(base, External) and not is_plain_base(base.name)
        for base in all_bases(project, Definition(method.key, owner))
    )


def overridden_methods(project: Project, target: Definition) -> tuple[Definition, ...]:
    """The methods of project base classes that the method `target` overrides: a call of them may run it."""
    scope = scope_of(project, target)
    facts = project.facts(target.key)
    assert facts is not None
    if scope.parent == NOTHING or facts.scopes[scope.parent].kind != "class" or scope.name == "__init__":
        return ()
    inherited = all_bases(project, Definition(target.key, scope.parent))[1:]
    bases = [base for base in inherited if isinstance(base, Definition)]
    # Mostly no base has such a method, and looking it up in each would go through the bases of each.
    if not any(scope.name in scope_of(project, base).bindings for base in bases):
        return ()
    found: list[Definition] = []
    for base in bases:
        found.extend(methods_named(project, base, scope.name))
    return tuple(dict.fromkeys(method for method in found if method != target))


def overriding_methods(project: Project, target: Definition) -> tuple[Definition, ...]:
    """The methods of project subclasses that override the method `target`: a call of it may run them."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    if scope.parent == NOTHING or facts.scopes[scope.parent].kind != "class" or scope.name == "__init__":
        return ()
    return tuple(
        Definition(owner.key, binding.defines)
        for owner in subclasses(project, Definition(target.key, scope.parent))
        for binding in scope_of(project, owner).bindings.get(scope.name, ())
        if binding.defines != NOTHING
    )


def subclasses(project: Project, owner: Definition) -> tuple[Definition, ...]:
    """The project classes that inherit from `owner`, directly or not."""
    return _subclass_table(project).get(owner, ())


@gathered
def _subclass_table(project: Project) -> dict[Definition, tuple[Definition, ...]]:
    found: dict[Definition, list[Definition]] = {}
    for definition in derived_classes(project):
        for base in all_bases(project, definition)[1:]:
            if isinstance(base, Definition):
                found.setdefault(base, []).append(definition)
    return {base: tuple(classes) for base, classes in found.items()}


def derived_classes(project: Project) -> Iterator[Definition]:
    """The classes in relevant files that name a base class."""
    for facts in project.relevant():
        yield from _derived_in(project, facts)


@once_per_file
def _derived_in(facts: FileFacts) -> tuple[Definition, ...]:
    return tuple(
        Definition(facts.key, scope.id) for scope in facts.scopes if scope.kind == "class" and scope.bases
    )


@once_per_file
def methods_by_class(facts: FileFacts) -> dict[int, tuple[int, ...]]:
    """The scopes of the methods in a file by the scope of their class."""
    found: dict[int, list[int]] = {}
    for scope in facts.scopes:
        if scope.kind == "function" and scope.parent != NOTHING:
            found.setdefault(scope.parent, []).append(scope.id)
    return {owner: tuple(methods) for owner, methods in found.items()}


def family(project: Project, owner: Definition) -> tuple[Definition, ...]:
    """A class with its project bases and subclasses: all code that may share its attributes."""
    bases = [base for base in all_bases(project, owner) if isinstance(base, Definition)]
    return tuple(dict.fromkeys([*bases, *subclasses(project, owner)]))
