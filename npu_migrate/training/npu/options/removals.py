"""Files that take options out of a parameter map again: what was set there may not be set in the end."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Subscript, last_name
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins

_MAP = "parameter_map"
_REMOVING = ("pop", "popitem", "clear", "Clear", "ClearField")


@once
def files_removing_options(project: Project) -> frozenset[str]:
    """The files with ``del entry.parameter_map[key]``, ``.pop(key)``, ``.clear()`` or ``ClearField``."""
    found = {
        key
        for name in _REMOVING
        for key, site in project.calls_named(name)
        if _removes(project, ref_of_call(key, site))
    }
    for key in project.files_mentioning(_MAP):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            if statement.kind == "Delete" and any(
                isinstance(target, Subscript)
                and _is_map(project, Ref(key, statement.scope, statement.id, target.value))
                for target in (*statement.targets, *statement.values)
            ):
                found.add(key)
    return frozenset(found)


def _removes(project: Project, ref: Ref) -> bool:
    call = ref.expr
    if not isinstance(call, Call) or not isinstance(call.func, Attribute):
        return False
    if call.func.attr == "ClearField":
        return any(isinstance(one, Constant) and one.value == _MAP for one in call.args)
    owner = call.func.value
    return _is_map(project, ref._replace(expr=owner.value if isinstance(owner, Subscript) else owner))


def _is_map(project: Project, ref: Ref) -> bool:
    return _ends_in_map(ref.expr) or any(_ends_in_map(one.expr) for one in origins(project, ref))


def _ends_in_map(expr: Expr) -> bool:
    return isinstance(expr, Attribute) and last_name(expr) == _MAP
