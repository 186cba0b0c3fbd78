"""Train ops of imported graphs: nothing but their names tells that a session trains which runs them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Constant,
    Mapping,
    Subscript,
    argument,
    children,
    last_name,
)
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.training.pipelines.graph_files.read import graphs_read
from npu_migrate.training.reading.read_data import is_run

_RUN = "run"
_FINDING = ("get_operation_by_name", "get_collection", "get_collection_ref")
"""What gives an op for a name. What gives a tensor trains at most beside what it is asked for."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_OF_TRAINING = frozenset({"train", "training", "trainer", "minimize", "optimize", "optimizer"})
_BESIDE = frozenset({"d", "g", "op", "operation", "ops", "step", "the"})
_OPTIMIZERS = re.compile(
    r"(Adadelta|Adagrad|AdagradDA|Adam|Ftrl|GradientDescent|Momentum|Proximal\w+|RMSProp)(_\d+)?"
)
"""What optimizers call their ops if nobody gives them a name [TF]."""


@once
def runs_of_named_train_ops(project: Project) -> tuple[Ref, ...]:
    """The runs of ops that have the name of a train op, in programs that import a graph."""
    return tuple(_runs(project))


def _runs(project: Project) -> Iterator[Ref]:
    importing = {
        near
        for facts in project.relevant()
        if graphs_read(project, facts.key)
        for near in project.neighbours(facts.key)
    }
    for key, site in project.calls_named(_RUN) if importing else ():
        ref = ref_of_call(key, site)
        if key not in importing or not is_run(project, ref):
            continue
        is_ours = all(name.startswith("tensorflow.") for name in externals_called(project, ref))
        if is_ours and _fetches_train_op(project, ref):
            yield ref


def _fetches_train_op(project: Project, run: Ref) -> bool:
    """Whether a call runs such an op: in a session, or by its own ``run()``."""
    call = run.expr
    assert isinstance(call, Call) and isinstance(call.func, Attribute)
    fetched = argument(call, "fetches", 0)
    parts = EachOnce([run._replace(expr=one) for one in (call.func.value, fetched) if one is not None])
    for part in parts:
        for one in origins(project, part):
            expr = one.expr
            if isinstance(expr, (Collection, Mapping)):
                parts.add(*(one._replace(expr=item, path=()) for item in children(expr)))
            elif isinstance(expr, Subscript):
                parts.add(one._replace(expr=expr.value, path=()))
            elif isinstance(expr, Constant) and _names_train_op(expr.value):
                return True
            elif isinstance(expr, Call) and last_name(expr.func) in _FINDING:
                names = (given.value for given in expr.args[:1] if isinstance(given, Constant))
                if any(map(_names_train_op, names)):
                    return True
    return False


def _names_train_op(name: object) -> bool:
    """Whether a text is the name of an op, not of a tensor, that is called as train ops are."""
    if not isinstance(name, str) or ":" in name:
        return False
    last = name.rpartition("/")[2]
    words = {word.lower() for word in _WORD.findall(last) if not word.isdigit()}
    is_called_so = not words.isdisjoint(_OF_TRAINING) and words <= _OF_TRAINING | _BESIDE
    return is_called_so or _OPTIMIZERS.fullmatch(last) is not None
