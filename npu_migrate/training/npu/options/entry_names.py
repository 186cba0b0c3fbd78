"""Custom optimizers that are meant to be the NPU's and are not called so.

Source: CODE:npu_attrs.cc.
"""

from __future__ import annotations

from npu_migrate.index.facts import Call, Subscript, argument
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.session_keys import SESSION_KEYS
from npu_migrate.knowledge.spelling import similar
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.npu.configs import CustomOptimizer, custom_optimizers, parameter_writes


@once
def misnamed(project: Project) -> tuple[CustomOptimizer, ...]:
    """Those that have keys of the NPU, and no name or one that is nearly the right one.

    A name that is the right one but for its capital letters needs no keys.
    """
    return tuple(
        one
        for one in custom_optimizers(project)
        if not one.is_called(npu.OPTIMIZER_NAME)
        and (_has_our_keys(project, one) or one.names.every(_differs_in_letters))
        and (has_no_name(project, one) or wrong_names(project, one))
    )


def _has_our_keys(project: Project, one: CustomOptimizer) -> bool:
    keys = {write.key for write in parameter_writes(project, one.entry)}
    return not keys.isdisjoint(SESSION_KEYS)


def wrong_names(project: Project, one: CustomOptimizer) -> tuple[Ref, ...]:
    """The values that are given to the name and are nearly the right one."""
    found = []
    for named in names_given(one):
        name = evaluate(project, named).only
        if name is not None and _is_meant(name.constant):
            found.append(named)
    return tuple(found)


def has_no_name(project: Project, one: CustomOptimizer) -> bool:
    """Whether nobody gives a custom optimizer a name, for certain."""
    added = one.entry.added
    if names_given(one):
        return False
    assert isinstance(added.expr, Call)
    if added.expr.args or added.expr.keywords:
        return False
    return all(_is_item_of_map(project, use) for use in uses(project, added))


def _is_item_of_map(project: Project, use: Use) -> bool:
    """Whether a use of an entry is ``entry.parameter_map[key]``: the map as a whole may go elsewhere."""
    if use.kind != "attribute" or use.name != "parameter_map":
        return False
    outer = project.parent_ref(use.ref)
    return outer is not None and isinstance(outer.expr, Subscript)


def names_given(one: CustomOptimizer) -> tuple[Ref, ...]:
    """The values that are given to the name of a custom optimizer."""
    assert isinstance(one.entry.added.expr, Call)
    given = argument(one.entry.added.expr, "name")
    first = () if given is None else (one.entry.added._replace(expr=given),)
    return (*one.entry.named, *first)


def text_of(name: object) -> str:
    """A name as text: in a script it may be bytes."""
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _is_meant(name: object) -> bool:
    text = text_of(name)
    if text == npu.OPTIMIZER_NAME:
        return False
    return _differs_in_letters(name) or similar(text, [npu.OPTIMIZER_NAME]) is not None


def _differs_in_letters(name: object) -> bool:
    """Whether a name is the right one but for capital and small letters."""
    text = text_of(name)
    return text != npu.OPTIMIZER_NAME and text.lower() == npu.OPTIMIZER_NAME.lower()
