"""How a program may get to a piece of code: by more ways than a plan may rest on."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Constant, FileFacts
from npu_migrate.index.names import enclosing_function
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.reachability import constructions
from npu_migrate.training.porting.reach import is_run


@once
def may_run(project: Project, ref: Ref, program: str) -> bool:
    """Whether a program may run the code at `ref`.

    Besides calls that are seen, those count that name a method in a ``getattr``, or are Python's own, as of
    ``__enter__``.
    """
    files = project.programs.by_entry[program].files
    seen: set[Definition] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        facts = project.facts(current.key)
        if facts is None or current.key not in files:
            continue
        if is_run(project, current, program):
            return True
        function = enclosing_function(facts, current.scope)
        definition = Definition(current.key, function)
        if function and definition not in seen:
            seen.add(definition)
            stack.extend(references(project, definition))
            stack.extend(all_calls_of(project, definition))
            stack.extend(constructions(project, definition))
            stack.extend(_by_other_ways(project, facts, definition))
    return False


def _by_other_ways(project: Project, facts: FileFacts, method: Definition) -> Iterator[Ref]:
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


def _constructed(project: Project, owner: Definition) -> Iterator[Ref]:
    facts = project.facts(owner.key)
    assert facts is not None
    name = facts.scopes[owner.scope].name
    for key, site in project.calls_named(name):
        yield Ref(key, site.scope, site.statement, site.call)
