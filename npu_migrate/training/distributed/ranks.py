"""Which values differ from rank to rank, and which tell how many ranks there are.

Sources: CODE:npu_init.py, DOC-AR.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Constant,
    Expr,
    Name,
    Operation,
    Subscript,
    last_name,
    walk,
)
from npu_migrate.knowledge import distributed
from npu_migrate.knowledge.tensorflow import SUPERVISOR
from npu_migrate.project.once import once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import Traced, traced
from npu_migrate.semantics.dead_code import requirements
from npu_migrate.semantics.dependence import dependences, nothing_more
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.pipelines.sessions import session_kind

_ENVIRONMENT_READERS = frozenset({"os.getenv", "os.environ.get"})
_ENVIRONMENT = "os.environ"
_PAIR = 2
_MANY = 1 << 20
"""More ranks than a script compares their number with."""

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "Eq": operator.eq,
        "NotEq": operator.ne,
        "Gt": operator.gt,
        "GtE": operator.ge,
        "Lt": operator.lt,
        "LtE": operator.le,
    }
)


_CALLED_SIZE = re.compile(
    r"(?i)(?:n|nums?|number|count)_?(?:of_)?(?:[gn]pus?|devices?|ranks?|workers)"
    r"|(?:[gn]pu|device|rank)_?(?:nums?|count|size)|world_?size"
)


class _Asked(NamedTuple):
    """The functions and environment variables that tell one thing about the ranks."""

    functions: frozenset[str]
    variables: frozenset[str]


_RANK = _Asked(distributed.RANK_FUNCTIONS, distributed.ENVIRONMENT_RANKS)
_SIZE = _Asked(distributed.SIZE_FUNCTIONS, distributed.ENVIRONMENT_SIZES)


@once_at
def depends_on_rank(project: Project, value: Ref) -> bool:
    """Whether a value is made from the number of the rank, as a library or the environment tells it."""
    return _depends(project, value, _RANK)


@once_at
def depends_on_size(project: Project, value: Ref) -> bool:
    """Whether a value is made from the number of ranks there are, or from what is called so."""
    return _depends(project, value, _SIZE)


def runs_on_one_device(project: Project, call: Ref) -> bool:
    """Whether a call stands in a branch that several ranks may not take, by the number of ranks there are.

    A test that is no comparison with 1 or another number may say anything: the branch counts as one.
    """
    facts = project.facts(call.key)
    assert facts is not None
    return any(
        depends_on_size(project, needed.condition)
        and _of_several(project, needed.condition) is not needed.holds
        for needed in requirements(project, facts, call)
    )


def _is_called_size(expr: Expr) -> bool:
    """Whether a name says that it is the number of devices: ``num_gpus``, ``args.world_size``."""
    name = last_name(expr) if isinstance(expr, (Name, Attribute)) else None
    return name is not None and _CALLED_SIZE.fullmatch(name) is not None


def _of_several(project: Project, condition: Ref) -> bool | None:
    """What a comparison of the number of ranks with a number says where there are many ranks."""
    if not isinstance(condition.expr, Operation):
        found = origins(project, condition)
        condition = found[0] if len(found) == 1 else condition
    expr = condition.expr
    if not isinstance(expr, Operation) or len(expr.operands) != _PAIR or condition.path:
        return None
    sides = [depends_on_size(project, condition._replace(expr=one)) for one in expr.operands]
    compare = _COMPARISONS.get(expr.operator)
    if compare is None or sides[0] is sides[1]:
        return None
    known = evaluate(project, condition._replace(expr=expr.operands[sides.index(False)])).only
    if known is None or not isinstance(known.constant, int):
        return None
    return compare(_MANY, known.constant) if sides[0] else compare(known.constant, _MANY)


def _depends(project: Project, value: Ref, asked: _Asked) -> bool:
    found = dependences(project, [traced(value)], lambda reached: _is_session(project, reached), nothing_more)
    return any(_tells(project, reached, asked) for reached in found.reached)


def _is_session(project: Project, reached: Traced) -> bool:
    """Whether a call opens a session, or makes who manages one: what that says, such as that the training
    shall stop, is not made from its config, nor from what its hooks were given, of which each rank has its
    own."""
    call = reached.ref
    if not isinstance(call.expr, Call):
        return False
    return session_kind(project, call) is not None or any(
        SUPERVISOR in name for name in externals_called(project, call)
    )


def _tells(project: Project, reached: Traced, asked: _Asked) -> bool:
    ref = reached.ref
    if asked is _SIZE and any(_is_called_size(part) for part in walk(ref.expr)):
        return True
    if isinstance(ref.expr, Subscript):
        names = external_names(project, ref.key, ref.scope, ref.expr.value)
        return _ENVIRONMENT in names and _is_one_of(ref.expr.item, asked.variables)
    if not isinstance(ref.expr, Call):
        return False
    names = externals_called(project, ref)
    if names & _ENVIRONMENT_READERS:
        return bool(ref.expr.args) and _is_one_of(ref.expr.args[0], asked.variables)
    return bool(names & asked.functions)


def _is_one_of(name: object, variables: frozenset[str]) -> bool:
    return isinstance(name, Constant) and name.value in variables
