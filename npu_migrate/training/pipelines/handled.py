"""Whether somebody runs the initializer of an initializable iterator, or may do so out of our sight."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, Expr, Name
from npu_migrate.project.project import Project
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.iterators import Creation, holder

_HARMLESS = frozenset(
    {"get_next", "string_handle", "output_shapes", "output_types", "output_classes", "element_spec"}
)


def is_left_uninitialized(project: Project, creation: Creation) -> bool:
    """Whether the iterator is read, but no alias of it has its initializer read, and it escapes nowhere."""
    if creation.form == "first-use":
        return False
    read = False
    for use in uses(project, creation.ref):
        if use.kind == "attribute" and use.name in _HARMLESS:
            read = True
        elif use.kind != "tested":
            return False
    return read and not _initialized_by_name(project, creation) and not _initialized_by_op(project, creation)


def _initialized_by_name(project: Project, creation: Creation) -> bool:
    """Whether ``<something>.<its attribute>.initializer``, or ``getattr(…).initializer``, is read anywhere.

    The object may then be one whose class is not known here.
    """
    name = holder(project, creation.ref)
    if name is None or not isinstance(name.target, Attribute):
        return False
    attribute = name.target.attr
    near = project.neighbours(creation.ref.key)
    return any(
        isinstance(site.parent, Attribute) and site.parent.attr == "initializer"
        for key in near.intersection(project.files_mentioning(attribute))
        for site in project.attributes(key, attribute)
    ) or any(
        isinstance(site.expr, Attribute) and _is_getattr(site.expr.value)
        for key in near.intersection(project.files_mentioning("initializer"))
        for site in project.attributes(key, "initializer")
    )


def _is_getattr(expr: Expr) -> bool:
    return isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id == "getattr"


def _initialized_by_op(project: Project, creation: Creation) -> bool:
    """Whether a file of its programs speaks of the op itself: a hook or script that finds it in the graph."""
    programs = set(project.programs_of(creation.ref.key))
    return any(
        project.contains(key, b"MakeIterator")
        for key in sorted(project.ours | project.supporting)
        if programs.intersection(project.programs_of(key))
    )
