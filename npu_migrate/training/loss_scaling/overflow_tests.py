"""Where a program tests its gradients or its loss for overflow with operators of TensorFlow.

Source: OPS:tf_finite_manual_port.
"""

from __future__ import annotations

from npu_migrate.index.facts import Call, argument, last_name
from npu_migrate.knowledge import loss_scale
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.dependence import dependences, nothing_more
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.programs import programs_with_npu
from npu_migrate.training.porting.features.host import in_data_function

_GRADIENTS = frozenset({"tensorflow.gradients"})
_COMPUTING = frozenset({"compute_gradients"})
_LOSS_TAKERS = ("minimize", "compute_gradients")


@once
def overflow_tests(project: Project) -> tuple[Ref, ...]:
    """The calls of ``tf.is_finite`` and its like, on the NPU, on gradients or a loss."""
    return tuple(
        call
        for name in sorted(loss_scale.OVERFLOW_TESTS)
        for call in calls_of(project, name)
        if isinstance(call.expr, Call)
        and call.expr.args
        and programs_with_npu(project, call.key)
        and not in_data_function(project, call)
        and _is_of_training(project, call._replace(expr=call.expr.args[0]))
    )


def _is_of_training(project: Project, tested: Ref) -> bool:
    if _is_loss(project, tested):
        return True
    found = dependences(project, [traced(tested)], lambda one: _is_gradient(project, one), nothing_more)
    return any(_is_gradient(project, reached) for reached in found.reached)


def _is_gradient(project: Project, reached: Traced) -> bool:
    expr = reached.ref.expr
    if not isinstance(expr, Call):
        return False
    return last_name(expr.func) in _COMPUTING or bool(externals_called(project, reached.ref) & _GRADIENTS)


def _is_loss(project: Project, tested: Ref) -> bool:
    near = project.neighbours(tested.key)
    made = {id(end.ref.expr) for end in ends(project, traced(tested)) if isinstance(end.ref.expr, Call)}
    return any(key in near and loss in made for key, loss in _losses(project))


@once
def _losses(project: Project) -> tuple[tuple[str, int], ...]:
    """The calls that make what optimizers minimize, each with the file of the optimizer's call."""
    return tuple(
        (key, id(end.ref.expr))
        for name in _LOSS_TAKERS
        for key, site in project.calls_named(name)
        for given in (argument(site.call, "loss", 0),)
        if given is not None
        for end in ends(project, traced(Ref(key, site.scope, site.statement, given)))
    )
