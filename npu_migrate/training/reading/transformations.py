"""The calls that make one dataset of another: the functions and the tensors that they get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call
from npu_migrate.knowledge import resources
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.pipelines.datasets import trace

_APPLY = "apply"


class Transformation(NamedTuple):
    """``dataset.map(f)`` or ``dataset.batch(n)``, as the call, its method's name, and what it gets.

    `functions` are called for the elements, `arguments` become part of the dataset.
    """

    call: Ref
    method: str
    functions: tuple[Traced, ...]
    arguments: tuple[Traced, ...]


@once
def transformations(project: Project, key: str) -> tuple[Transformation, ...]:
    """All of them in one file whose receiver is a dataset for certain, in source order."""
    facts = project.facts(key)
    found = []
    for site in facts.calls if facts is not None else ():
        func = site.call.func
        if isinstance(func, Attribute) and func.attr in resources.ELEMENTWISE | resources.ARGUMENT_METHODS:
            call = ref_of_call(key, site)
            if trace(project, call._replace(expr=func.value)).is_dataset:
                found.append(_transformation(project, call, func.attr))
    return tuple(sorted(found, key=lambda item: item.call.expr.span[2:]))


def _transformation(project: Project, call: Ref, method: str) -> Transformation:
    given = tuple(_given(call))
    if method == _APPLY:
        inner = [value for item in given for value in _applied(project, item)]
        return Transformation(call, method, tuple(inner), ())
    is_function = method in resources.ELEMENTWISE
    return Transformation(call, method, given if is_function else (), () if is_function else given)


def _given(call: Ref) -> Iterator[Traced]:
    assert isinstance(call.expr, Call)
    for value in (*call.expr.args, *(keyword.value for keyword in call.expr.keywords)):
        yield traced(call._replace(expr=value))


def _applied(project: Project, item: Traced) -> Iterator[Traced]:
    """The functions in ``map_and_batch(f, n)``."""
    for end in ends(project, item):
        if externals_called(project, end.ref) & resources.FUNCTION_TRANSFORMATIONS:
            for value in _given(end.ref):
                yield value._replace(frames=end.frames, assumed=end.assumed)
