"""Graphs, collections, control dependencies, variables, groups: the names below ``tensorflow`` itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from npu_migrate.abstract_run.libraries.graph_definitions import described
from npu_migrate.abstract_run.libraries.tables import Models, given
from npu_migrate.abstract_run.libraries.world import (
    NOTHING,
    Assign,
    Block,
    Effects,
    Graph,
    Needs,
    Tensor,
    Variable,
    World,
)
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    External,
    Function,
    Method,
    Native,
    Partial,
    Sequence,
    Unknown,
    Value,
)

TABLES = "table_initializer"
LOCAL_INIT = "local_init_op"
_KEYS = {
    "TABLE_INITIALIZERS": TABLES,
    "LOCAL_INIT_OP": LOCAL_INIT,
    "INIT_OP": "init_op",
    "READY_OP": "ready_op",
    "SAVEABLE_OBJECTS": "saveable_objects",
    "SUMMARIES": "summaries",
    "UPDATE_OPS": "update_ops",
    "LOSSES": "losses",
    "GLOBAL_VARIABLES": "variables",
    "LOCAL_VARIABLES": "local_variables",
    "TRAINABLE_VARIABLES": "trainable_variables",
}
_OPEN = frozenset(
    {"variables", "local_variables", "trainable_variables", "model_variables", "moving_average_variables"}
)


def graph_key(name: str) -> Value | None:
    """The value of a constant of ``GraphKeys``."""
    return _KEYS.get(name.rpartition(".")[2]) if ".GraphKeys." in name else None


def plain_key(key: Value) -> Value:
    """The text of a collection's key."""
    if isinstance(key, External):
        return graph_key(key.name) or key.name.rpartition(".")[2].lower()
    return key


def graph_attribute(graph: Graph, name: str) -> Value:
    """An attribute of a graph, or one of its methods."""
    world = graph.world
    if name == "finalized":
        return graph.finalized
    if name in ("graph_def_versions", "seed", "version", "building_function"):
        return Unknown(name)

    def within(arguments: Arguments) -> Value:
        return _METHODS[name](world, graph, arguments)

    return (
        Native(name, within)
        if name in _METHODS
        else Native(name, lambda args: world.tensor(*args.positional))
    )


def _as_default(world: World, graph: Graph, arguments: Arguments) -> Value:
    return graph


def _finalize(world: World, graph: Graph, arguments: Arguments) -> Value:
    graph.finalized = True
    world.run.version += 1
    return None


def _reopen(world: World, graph: Graph, arguments: Arguments) -> Value:
    graph.finalized = False
    return None


def _add(world: World, graph: Graph, arguments: Arguments) -> Value:
    names = given(world, arguments, "name", 0) or given(world, arguments, "names", 0)
    value = given(world, arguments, "value", 1)
    keys = names if isinstance(names, tuple) else (names,)
    for key in names.items if isinstance(names, Sequence) else keys:
        if isinstance(key, Unknown):
            raise world.run.lost("it is not known to which collection something is added")
        if graph.finalized:
            world.tensor(check="something is added to a collection")
        graph.collection(plain_key(key)).items.append(value)
        world.run.version += 1
    return None


def _get(world: World, graph: Graph, arguments: Arguments) -> Value:
    key = plain_key(given(world, arguments, "key", 0))
    if isinstance(key, Unknown):
        raise world.run.lost("it is not known which collection is asked for")
    found = graph.collection(key)
    if key in _OPEN:
        known: list[Value] = [*graph.variables]
        return Sequence(known or [Tensor(world, NOTHING)], vague=True)
    return Sequence(list(found.items), vague=False)


def _get_ref(world: World, graph: Graph, arguments: Arguments) -> Value:
    world.run.version += 1
    return graph.collection(plain_key(given(world, arguments, "key", 0)))


def _by_name(world: World, graph: Graph, arguments: Arguments) -> Value:
    if graph.has_iterators:
        raise world.run.lost("a tensor is looked up by its name")
    return Tensor(world, NOTHING)


def _control(world: World, graph: Graph, arguments: Arguments) -> Value:
    before = given(world, arguments, "control_inputs", 0)
    if isinstance(before, Unknown):
        raise world.run.lost("control dependencies are not known")
    effects = world.effects_of(before)
    saved: list[list[Effects]] = []

    def push() -> Value:
        saved.append(graph.control)
        graph.control = [] if before is None else [*graph.control, effects]
        return None

    def pop() -> None:
        graph.control = saved.pop()

    return Block(push, pop)


def _init_scope(world: World, arguments: Arguments) -> Value:
    return _control(world, world.graph, Arguments([None]))


_METHODS: Mapping[str, Callable[[World, Graph, Arguments], Value]] = {
    "as_default": _as_default,
    "finalize": _finalize,
    "_unsafe_unfinalize": _reopen,
    "add_to_collection": _add,
    "add_to_collections": _add,
    "get_collection": _get,
    "get_collection_ref": _get_ref,
    "get_tensor_by_name": _by_name,
    "get_operation_by_name": _by_name,
    "as_graph_element": _by_name,
    "control_dependencies": _control,
    "as_graph_def": lambda world, graph, arguments: described(graph),
    "get_operations": lambda world, graph, arguments: Sequence([Tensor(world, NOTHING)], vague=True),
    "is_feedable": lambda world, graph, arguments: Unknown(),
}


def _new_graph(world: World, arguments: Arguments) -> Value:
    return Graph(world)


def _default_graph(world: World, arguments: Arguments) -> Value:
    return world.graph


def _reset(world: World, arguments: Arguments) -> Value:
    world.graphs[-1] = Graph(world)
    world.run.event("reset", "the default graph is replaced", world.graph.number)
    return None


def _tables(world: World, arguments: Arguments) -> Value:
    tables = world.graph.collection(TABLES)
    return world.tensor(*tables.items, check="an initializer of tables is made")


def globals_of(world: World, graph: Graph) -> Effects:
    """What initializing all global variables of a graph does."""
    found: set[object] = {Assign(f"variables of graph {graph.number}")}
    for variable in graph.variables:
        found |= variable.initial
    return frozenset(found)  # type: ignore[arg-type]


def locals_of(world: World, graph: Graph) -> Effects:
    """What initializing all local variables of a graph does: those of metrics start at 0."""
    known = [one for one in graph.collection("local_variables").items if isinstance(one, Variable)]
    harmless = all(one.harmless for one in known)
    found: set[object] = {Assign(f"local variables of graph {graph.number}", harmless)}
    for variable in known:
        found |= variable.initial
    return frozenset(found)  # type: ignore[arg-type]


def _global_variables(world: World, arguments: Arguments) -> Value:
    made = world.tensor(check="an initializer of variables is made")
    made.effects |= globals_of(world, world.graph)
    return made


def _local_variables(world: World, arguments: Arguments) -> Value:
    made = world.tensor(check="an initializer of variables is made")
    made.effects |= locals_of(world, world.graph)
    return made


def _some_variables(world: World, arguments: Arguments) -> Value:
    chosen = given(world, arguments, "var_list", 0)
    made = world.tensor()
    made.effects |= {Assign("some variables")}
    for one in chosen.items if isinstance(chosen, Sequence) else ():
        if isinstance(one, Variable):
            made.effects |= one.initial
    return made


def _is_zero(value: Value) -> bool:
    if isinstance(value, Tensor):
        return "zeros" in value.origin
    return (isinstance(value, (int, float)) and value == 0) or (
        isinstance(value, External) and "zeros" in value.name
    )


def _made_variable(world: World, arguments: Arguments, initial: Value, *, local: bool) -> Value:
    if isinstance(initial, (Function, Method, Partial)):
        count = len(initial.scope.parameters) if isinstance(initial, Function) else 0
        initial = world.run.call(initial, *(Unknown() for _ in range(count)))
    world.tensor(check="a variable is made")
    made = Variable(world, world.effects_of(initial) | world.graph.around(), harmless=_is_zero(initial))
    collections = arguments.keywords.get("collections")
    listed = collections.items if isinstance(collections, Sequence) else collections
    keys = [plain_key(one) for one in listed] if isinstance(listed, (list, tuple)) else []
    if local or "local_variables" in keys:
        world.graph.collection("local_variables").items.append(made)
    else:
        world.graph.variables.append(made)
    return made


def _variable(world: World, arguments: Arguments) -> Value:
    return _made_variable(world, arguments, given(world, arguments, "initial_value", 0), local=False)


def _get_variable(world: World, arguments: Arguments) -> Value:
    name = given(world, arguments, "name", 0)
    initial = given(world, arguments, "initializer", 3)
    if not isinstance(name, str):
        world.run.step()
    return _made_variable(world, arguments, initial, local=False)


def _local_variable(world: World, arguments: Arguments) -> Value:
    initial = arguments.keywords.get("initializer", given(world, arguments, "initial_value", 0))
    return _made_variable(world, arguments, initial, local=True)


def _placeholder(world: World, arguments: Arguments) -> Value:
    made = Tensor(world, NOTHING, "placeholder")
    made.effects = frozenset({Needs(made)})
    return made


def _same_value(world: World, arguments: Arguments) -> Value:
    """What gives its input on, which may be an iterator's handle."""
    value = given(world, arguments, "input", 0)
    made = world.tensor(value)
    if isinstance(value, Tensor):
        made.handle_of = value.handle_of
    return made


def _group(world: World, arguments: Arguments) -> Value:
    return world.tensor(*arguments.positional, check="a group is made")


def _on_graph(name: str) -> Models:
    def model(world: World, arguments: Arguments) -> Value:
        return _METHODS[name](world, world.graph, arguments)

    return {f"tensorflow.{name}": model}


def _merge_all(world: World, arguments: Arguments) -> Value:
    return world.tensor(*world.graph.collection("summaries").items)


def _total_loss(world: World, arguments: Arguments) -> Value:
    return world.tensor(*world.graph.collection("losses").items)


def _global_step(world: World, arguments: Arguments) -> Value:
    found = world.graph.collection("global_step")
    if not found.items:
        found.items.append(Variable(world, NOTHING, harmless=True))
    return found.items[0]


def _eager(world: World, arguments: Arguments) -> Value:
    raise world.run.lost("the program switches to eager execution")


GRAPHS: Models = {
    "tensorflow.Graph": _new_graph,
    "tensorflow.get_default_graph": _default_graph,
    "tensorflow.reset_default_graph": _reset,
    "tensorflow.tables_initializer": _tables,
    "tensorflow.global_variables_initializer": _global_variables,
    "tensorflow.local_variables_initializer": _local_variables,
    "tensorflow.variables_initializer": _some_variables,
    "tensorflow.Variable": _variable,
    "tensorflow.get_variable": _get_variable,
    "tensorflow.get_local_variable": _local_variable,
    "tensorflow.contrib.framework.local_variable": _local_variable,
    "tensorflow.placeholder": _placeholder,
    "tensorflow.placeholder_with_default": _same_value,
    "tensorflow.identity": _same_value,
    "tensorflow.group": _group,
    "tensorflow.init_scope": _init_scope,
    "tensorflow.summary.merge_all": _merge_all,
    "tensorflow.losses.get_total_loss": _total_loss,
    "tensorflow.losses.get_losses": _total_loss,
    "tensorflow.contrib.losses.get_total_loss": _total_loss,
    "tensorflow.contrib.slim.losses.get_total_loss": _total_loss,
    "tensorflow.train.get_or_create_global_step": _global_step,
    "tensorflow.train.create_global_step": _global_step,
    "tensorflow.train.get_global_step": _global_step,
    "tensorflow.enable_eager_execution": _eager,
    "tensorflow.enable_v2_behavior": _eager,
    **_on_graph("add_to_collection"),
    **_on_graph("add_to_collections"),
    **_on_graph("get_collection"),
    **_on_graph("get_collection_ref"),
    **_on_graph("control_dependencies"),
}
