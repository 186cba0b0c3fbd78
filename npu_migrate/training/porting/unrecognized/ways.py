"""How a program may get to a piece of code: by more ways than a plan may rest on."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Constant, Name
from npu_migrate.index.names import enclosing_class
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition, all_bases
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.reachability import calls_seen, ways_to
from npu_migrate.training.porting.reach import is_run


@once
def may_run(project: Project, ref: Ref, program: str) -> bool:
    """Whether a program may run the code at `ref`.

    Besides calls that are seen, those count that leave the method to a subclass, name it in a ``getattr``, or
    are Python's own, as of ``__enter__``.
    """
    files = project.programs.by_entry[program].files
    return any(is_run(project, one, program) for one in ways_to(project, ref, _calls_perhaps, files))


def _calls_perhaps(project: Project, definition: Definition) -> Iterator[Ref]:
    yield from calls_seen(project, definition)
    yield from _by_other_ways(project, definition)


def _by_other_ways(project: Project, method: Definition) -> Iterator[Ref]:
    facts = project.facts(method.key)
    assert facts is not None
    name = facts.scopes[method.scope].name
    parent = facts.scopes[method.scope].parent
    if facts.scopes[parent].kind != "class":
        return
    owner = Definition(method.key, parent)
    if name.startswith("__") and name != "__init__":
        yield from references(project, owner)
        yield from _constructed(project, owner)
        return
    for key, site in project.calls_named("getattr"):
        given = site.call.args[1] if len(site.call.args) > 1 else None
        if isinstance(given, Constant) and given.value == name:
            yield Ref(key, site.scope, site.statement, site.call)
    for base in all_bases(project, owner)[1:]:
        if isinstance(base, Definition):
            yield from _own_calls(project, base, name)


def _constructed(project: Project, owner: Definition) -> Iterator[Ref]:
    facts = project.facts(owner.key)
    assert facts is not None
    name = facts.scopes[owner.scope].name
    for key, site in project.calls_named(name):
        yield Ref(key, site.scope, site.statement, site.call)


def _own_calls(project: Project, owner: Definition, name: str) -> Iterator[Ref]:
    """The calls ``self.name()`` in the methods of a class, which leaves the method to its subclasses."""
    facts = project.facts(owner.key)
    assert facts is not None
    for site in facts.calls:
        func = site.call.func
        of_self = isinstance(func, Attribute) and func.attr == name and isinstance(func.value, Name)
        if of_self and enclosing_class(facts, site.scope) == owner.scope:
            yield Ref(owner.key, site.scope, site.statement, site.call)
