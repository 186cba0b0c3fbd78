"""The calls of objects: what runs ``Step.__call__`` is ``step(sess)``, where ``step`` is ``Step()``."""

from __future__ import annotations

from npu_migrate.project.once import once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import constructions
from npu_migrate.semantics.calls.construction import class_of_method
from npu_migrate.semantics.flow import call_sites
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import Definition, scope_of
from npu_migrate.semantics.uses import uses

_CALLED = "__call__"


def object_calls(project: Project, target: Definition) -> tuple[Ref, ...]:
    """The calls of objects that run `target`, if it is a ``__call__``; of those whose making is seen."""
    return _object_calls(project, target) if scope_of(project, target).name == _CALLED else ()


@once_in_cycles(())
def _object_calls(project: Project, target: Definition) -> tuple[Ref, ...]:
    owner = class_of_method(project, target)
    if owner is None:
        return ()
    starts = methods_named(project, owner, "__init__")
    made = [site for start in starts for site in call_sites(project, start)]
    if not starts:
        made.extend(constructions(project, owner).sites)
    found = {id(use.ref.expr): use.ref for site in made for use in uses(project, site) if use.kind == "call"}
    return tuple(found.values())
