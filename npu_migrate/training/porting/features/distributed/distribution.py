"""Several devices otherwise than by Horovod: strategies, towers in one graph, parameter servers.

Sources: DOC-AR, DOC-PS, DOC-RESTR; ``tf.keras.utils.multi_gpu_model`` raises without GPUs [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Constant,
    Expr,
    FileFacts,
    Name,
    Subscript,
    argument,
    last_name,
    walk,
)
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.knowledge.tensorflow import OPTIMIZING
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.signatures import has_star
from npu_migrate.semantics.contexts import traced
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.reachability import calls_seen, function_of, ways_to
from npu_migrate.training.porting.features.found import Found, calls_among, is_text, mentions_among
from npu_migrate.training.porting.session_openings import is_none
from npu_migrate.training.reading.read_data import Sources, sources_of_values

_STRATEGIES = frozenset(
    f"tensorflow.{module}.{name}"
    for module in ("distribute", "distribute.experimental", "contrib.distribute")
    for name in (
        "MirroredStrategy",
        "MultiWorkerMirroredStrategy",
        "CollectiveAllReduceStrategy",
        "CentralStorageStrategy",
        "TPUStrategy",
        "OneDeviceStrategy",
    )
)
_DEVICE_SETTER = "tensorflow.train.replica_device_setter"
_SERVERS = frozenset(
    {
        "tensorflow.train.Server",
        "tensorflow.train.Server.create_local_server",
        _DEVICE_SETTER,
        "tensorflow.train.SyncReplicasOptimizer",
        "tensorflow.distribute.experimental.ParameterServerStrategy",
        "tensorflow.contrib.distribute.ParameterServerStrategy",
    }
)
_MULTI_GPU = frozenset(
    {
        "tensorflow.keras.utils.multi_gpu_model",
        "keras.utils.multi_gpu_model",
        "keras.utils.training_utils.multi_gpu_model",
    }
)
_DEVICE = frozenset({"tensorflow.device"})
_MAP = "map"
_REUSE = "reuse_variables"
_OF_TOWERS = ("compute_gradients", "gradients")
_APPLYING = "apply_gradients"
_OPTIMIZING = (*_OF_TOWERS, *sorted(OPTIMIZING))
_ITERATING = frozenset({"enumerate", "list", "reversed", "sorted", "tuple", "zip"})
"""Functions of Python that go through what they get."""


def strategies(project: Project) -> tuple[Found, ...]:
    """What makes a distribution strategy, or may, but for those of one device that is the CPU."""
    made = (one for one in calls_among(project, _STRATEGIES) if not _is_of_cpu(one))
    return (*made, *mentions_among(project, _STRATEGIES))


def _is_of_cpu(one: Found) -> bool:
    assert isinstance(one.ref.expr, Call)
    given = argument(one.ref.expr, "device", 0)
    return one.name.endswith("OneDeviceStrategy") and given is not None and is_text(given, "cpu")


def parameter_servers(project: Project) -> tuple[Found, ...]:
    """What starts a server, places variables on one, or waits for its workers, or may do so."""
    found = (*calls_among(project, _SERVERS), *mentions_among(project, _SERVERS))
    return tuple(one for one in found if not _is_without_servers(project, one))


def _is_without_servers(project: Project, one: Found) -> bool:
    """Whether a call has 0 servers to place variables on, perhaps by default: it then gives None [TF]."""
    call = one.ref.expr
    if one.name != _DEVICE_SETTER or not isinstance(call, Call) or has_star(one.ref):
        return False
    number, cluster = argument(call, "ps_tasks", 0), argument(call, "cluster", 4)
    if cluster is not None and not is_none(cluster):
        return False
    return number is None or evaluate(project, one.ref._replace(expr=number)).every(lambda value: value == 0)


@once
def towers(project: Project) -> tuple[Found, ...]:
    """The places that build one copy of a model for each GPU in one graph."""
    copied = (*calls_among(project, _MULTI_GPU), *mentions_among(project, _MULTI_GPU))
    return (*_loops_over_gpus(project), *copied)


def _loops_over_gpus(project: Project) -> Iterator[Found]:
    for one in calls_among(project, _DEVICE):
        assert isinstance(one.ref.expr, Call)
        facts = project.facts(one.ref.key)
        given = argument(one.ref.expr, "device_name_or_function", 0)
        if facts is None or given is None or isinstance(given, Constant):
            continue
        loops = [
            number for number in ancestors(facts, one.ref.statement) if facts.statements[number].kind == "For"
        ]
        shares = _shares_variables(facts, loops)
        if loops and any(is_text(expr, "gpu") for expr in walk(given)):
            is_copy = True
        elif _is_numbered_by_a_loop(project, one.ref, given):
            is_copy, shares = True, False
        else:
            is_copy = _is_one_of_gpus(project, one.ref._replace(expr=given)) and _builds_a_copy(
                facts, one.ref.statement, loops
            )
        trains = is_copy and (
            _is_trained_by(project, one.ref, (*_OF_TOWERS, _APPLYING))
            or (shares and _is_trained_by(project, one.ref, _OPTIMIZING))
        )
        if trains:
            yield Found(one.ref, "tensorflow.device")


def _is_one_of_gpus(project: Project, device: Ref) -> bool:
    """Whether a device is one of several names of GPUs that a loop or comprehension goes through, in a caller
    perhaps: ``for device, part in zip(GPUS, parts)``."""
    found = EachOnce([device, *origins(project, device)])
    return any(_are_gpus(project, several) for one in found for several in _gone_through(project, one))


def _gone_through(project: Project, item: Ref) -> Iterator[Ref]:
    """What a name is an item of in a loop, or what a subscript is read of."""
    facts = project.facts(item.key)
    assert facts is not None
    if isinstance(item.expr, Subscript):
        yield item._replace(expr=item.expr.value, path=())
    if not isinstance(item.expr, Name):
        return
    found = lookup(facts, item.scope, item.expr.id)
    for binding in () if found is None else found.bindings:
        if binding.kind in ("for", "comprehension") and binding.value is not None:
            yield Ref(item.key, binding.scope, binding.statement, binding.value)


def _are_gpus(project: Project, several: Ref) -> bool:
    """Whether something is a sequence of at least two names of GPUs, perhaps beside others or counted."""
    stack = EachOnce([several])
    for one in stack:
        for origin in origins(project, one):
            made = origin.expr
            if isinstance(made, Collection):
                if len(made.items) > 1 and any(is_text(item, "gpu") for item in made.items):
                    return True
            elif isinstance(made, Comprehension):
                if any(is_text(expr, "gpu") for item in made.elements for expr in walk(item)):
                    return True
            elif isinstance(made, Call) and isinstance(made.func, Name) and made.func.id in _ITERATING:
                stack.add(*(origin._replace(expr=given, path=()) for given in made.args))
    return False


def _is_numbered_by_a_loop(project: Project, device: Ref, given: Expr) -> bool:
    """Whether the text of a device has a number that a loop or comprehension counts, in a caller perhaps.

    What is kept in a field says nothing: the object may be one of those that only predict.
    """
    if isinstance(given, Attribute):
        return False
    texts = EachOnce([device._replace(expr=given), *origins(project, device._replace(expr=given))])
    return any(
        not isinstance(text.expr, Constant)
        and any(is_text(expr, "gpu") for expr in walk(text.expr))
        and any(_is_counted(project, one) for one in project.parts(text) if isinstance(one.expr, Name))
        for text in texts
    )


def _is_counted(project: Project, number: Ref) -> bool:
    return any(
        _is_of_a_loop(project, one, one.expr) if isinstance(one.expr, Name) else _is_looped_over(project, one)
        for one in origins(project, number)
    )


def _is_looped_over(project: Project, item: Ref) -> bool:
    """Whether a value is one of several that a loop or comprehension goes through: ``for i in (0, 1)``."""
    items = project.parent_ref(item)
    if items is None or not isinstance(items.expr, Collection) or len(items.expr.items) < 2:
        return False
    around = project.parent_ref(items)
    if around is None:
        return project.statement(items).kind == "For"
    return isinstance(around.expr, Comprehension)


def _is_of_a_loop(project: Project, ref: Ref, name: Name) -> bool:
    """Whether a name is the variable of a loop, or a parameter of a function that a ``map`` calls."""
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, name.id)
    kinds = () if found is None else {binding.kind for binding in found.bindings}
    if found is None or "param" not in kinds:
        return not {"for", "comprehension"}.isdisjoint(kinds)
    handed = (project.parent_ref(one) for one in references(project, Definition(ref.key, found.scope)))
    return any(
        one is not None and isinstance(one.expr, Call) and last_name(one.expr.func) == _MAP for one in handed
    )


def _builds_a_copy(facts: FileFacts, block: int, loops: list[int]) -> bool:
    """Whether what is in a block on a device, or in the loops around it, makes gradients or uses variables
    again: others only compute something on each device."""
    around = [block, *loops]
    return _shares_variables(facts, around) or any(
        last_name(site.call.func) in _OF_TOWERS
        and not set(around).isdisjoint(ancestors(facts, site.statement))
        for site in facts.calls
    )


def _shares_variables(facts: FileFacts, loops: list[int]) -> bool:
    """Whether what a loop builds again uses the variables of the turn before: then it is the same model."""
    return any(
        (last_name(site.call.func) == _REUSE or _reuses(site.call))
        and not set(loops).isdisjoint((site.statement, *ancestors(facts, site.statement)))
        for site in facts.calls
    )


def _reuses(call: Call) -> bool:
    given = argument(call, "reuse", None) if last_name(call.func) == "variable_scope" else None
    return given is not None and not (isinstance(given, Constant) and not given.value)


def _is_trained_by(project: Project, device: Ref, methods: tuple[str, ...]) -> bool:
    """Whether one of `methods` gets what is built on a device: copies may be for predictions only.

    It does if it is called where that is built, or on the way to it, or the other way round, or if it is seen
    to get it. Where that cannot be seen, a file that has both is taken to do so.
    """
    near = project.neighbours(device.key)
    building = _code_around(project, device)
    for name in methods:
        for key, site in project.calls_named(name):
            call = ref_of_call(key, site)
            if key not in near:
                continue
            if function_of(project, call) in building:
                return True
            if function_of(project, device) in _code_around(project, call):
                return True
            made = _sources_of_arguments(project, call)
            if any(function_of(project, one) == function_of(project, device) for one in made.calls):
                return True
            if key == device.key and not made.complete:
                return True
    return False


@once
def _code_around(project: Project, ref: Ref) -> frozenset[Definition]:
    """The function with some code, and those that may lead to it."""
    return frozenset(function_of(project, one) for one in ways_to(project, ref, calls_seen))


@once
def _sources_of_arguments(project: Project, ref: Ref) -> Sources:
    assert isinstance(ref.expr, Call)
    given = (*ref.expr.args, *(one.value for one in ref.expr.keywords))
    return sources_of_values(project, [traced(ref._replace(expr=one)) for one in given])


def collective_is_missing(project: Project, horovod: frozenset[str]) -> tuple[Found, ...]:
    """The ``tf.gradients`` of files that Horovod is used in: nobody reduces them over the devices."""
    return tuple(
        one
        for one in calls_among(project, frozenset({"tensorflow.gradients"}))
        if one.ref.key in horovod and _is_applied(project, one.ref)
    )


def _is_applied(project: Project, ref: Ref) -> bool:
    return any(
        key == ref.key and "horovod" not in "".join(externals_called(project, ref_of_call(key, s)))
        for key, s in project.calls_named("apply_gradients")
    )
