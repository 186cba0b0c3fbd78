"""The calls that make an op that trains, and which programs get to one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from npu_migrate.index.facts import Call, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.knowledge import training_libraries
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import call_targets, externals_called
from npu_migrate.semantics.inheritance import is_below_library
from npu_migrate.training.pipelines.reachability import is_reached
from npu_migrate.training.porting.gradient_steps import (
    UPDATES,
    gradient_calls,
    is_gradient_step,
    updates_near_gradients,
)
from npu_migrate.training.reading.read_data import Sources

OUR_LIBRARIES = ("tensorflow.", "tf_slim.")
_LIBRARIES_THAT_TRAIN = (
    *OUR_LIBRARIES,
    "keras.",
    "horovod.",
    "npu_bridge.",
    *training_libraries.KERAS_LIBRARIES,
    *training_libraries.EITHER_KERAS,
)

GetsTo = Callable[[Project, Ref, str], bool]
"""Whether a program gets to a piece of code: `reachability.is_reached`, or `ways.may_run` in doubt."""


@once
def library_calls(project: Project, names: tuple[str, ...]) -> tuple[Ref, ...]:
    """The calls of these names that are no other library's, as far as that is known."""
    return tuple(_find_calls(project, names))


def _find_calls(project: Project, names: tuple[str, ...]) -> Iterator[Ref]:
    for name in names:
        for key, site in project.calls_named(name):
            ref = ref_of_call(key, site)
            meant = externals_called(project, ref)
            if not meant or any(map(_may_train, meant)):
                yield ref


def _may_train(name: str) -> bool:
    """Whether a function or method of a library may train, by its dotted name."""
    return name.startswith(_LIBRARIES_THAT_TRAIN) and training_libraries.KERAS_PREPROCESSING not in name


@once
def optimizer_calls(project: Project) -> tuple[Ref, ...]:
    """The calls that make a train op by an optimizer's method."""
    made = library_calls(project, tuple(sorted(tf.OPTIMIZING)))
    return tuple(ref for ref in made if not _is_of_its_own(project, ref))


def _is_of_its_own(project: Project, call: Ref) -> bool:
    """Whether ``minimize`` and the like is a function of the project's own, and no method of an optimizer.

    A class around an optimizer often gets its name, ``opt = Accumulating(opt)``: then it may be either.
    """
    targets = call_targets(project, call)
    if not targets or any(is_below_library(project, target) for target in targets):
        return False
    return not any(name.startswith(_LIBRARIES_THAT_TRAIN) for name in externals_called(project, call))


def makes_train_op(project: Project, ref: Ref) -> bool:
    """Whether a call makes an op that trains: an optimizer's, or one that follows gradients by itself."""
    if not isinstance(ref.expr, Call):
        return False
    name = last_name(ref.expr.func)
    if name in tf.OPTIMIZING:
        return not _is_of_its_own(project, ref)
    return name in UPDATES and any(
        one.expr is ref.expr and is_gradient_step(project, one) for one in updates_near_gradients(project)
    )


def is_optimized(project: Project, sources: Sources) -> bool:
    """Whether one of the calls that something is made by makes a train op."""
    return any(makes_train_op(project, one) for one in sources.calls)


# -- programs ------------------------------------------------------------------------------------------


def optimizes(project: Project, key: str) -> bool:
    """Whether a program of the file `key` gets to code that makes a train op."""
    return get_to_train_op(project, project.programs_of(key), is_reached)


def get_to_train_op(project: Project, programs: Iterable[str], gets_to: GetsTo) -> bool:
    """Whether one of `programs` gets to code that makes a train op: an optimizer's, or one that follows
    gradients by itself, as of which one of them has to get to gradients too."""
    asked = tuple(programs)
    if any(_gets_to_one(project, optimizer_calls, one, gets_to) for one in asked):
        return True
    return get_to_gradients(project, asked, gets_to) and any(
        _gets_to_gradient_step(project, one, gets_to) for one in asked
    )


def get_to_gradients(project: Project, programs: Iterable[str], gets_to: GetsTo) -> bool:
    """Whether one of `programs` gets to an optimizer or to gradients: without, nothing makes a train op."""
    asked = tuple(programs)
    return any(
        _gets_to_one(project, calls, one, gets_to)
        for calls in (optimizer_calls, gradient_calls)
        for one in asked
    )


@once
def _gets_to_one(
    project: Project, calls: Callable[[Project], tuple[Ref, ...]], program: str, gets_to: GetsTo
) -> bool:
    return any(gets_to(project, ref, program) for ref in calls(project))


@once
def _gets_to_gradient_step(project: Project, program: str, gets_to: GetsTo) -> bool:
    return any(
        gets_to(project, ref, program) and is_gradient_step(project, ref)
        for ref in updates_near_gradients(project)
    )


def train_ops(project: Project, programs: Iterable[str]) -> Iterator[Ref]:
    """The calls that make a train op and that one of `programs` is seen to get to."""
    asked = tuple(programs)

    def is_in_reach(ref: Ref) -> bool:
        return any(is_reached(project, ref, one) for one in asked)

    yield from filter(is_in_reach, optimizer_calls(project))
    # Whether an update follows gradients costs most to find out.
    for ref in updates_near_gradients(project) if any(map(is_in_reach, gradient_calls(project))) else ():
        if is_in_reach(ref) and is_gradient_step(project, ref):
            yield ref
