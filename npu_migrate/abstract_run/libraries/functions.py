"""Functions of TensorFlow that get functions of the program: some call them, some change them."""

from __future__ import annotations

from npu_migrate.abstract_run.libraries.tables import Models, given
from npu_migrate.abstract_run.libraries.world import Block, Calls, Tensor, World
from npu_migrate.abstract_run.machine.values import (
    Arguments,
    Function,
    Method,
    Native,
    Partial,
    Sequence,
    Table,
    Value,
)


def _is_function(value: Value) -> bool:
    return isinstance(value, (Function, Method, Partial))


def _call_each(world: World, arguments: Arguments) -> Value:
    """``tf.cond``, ``tf.while_loop`` and their like call the functions they get, with tensors."""
    values = [*arguments.positional, *arguments.keywords.values()]
    others = [one for one in values if not _is_function(one)]
    given_ = Tensor(world, world.effects_of(*others))
    found = [*others]
    for one in filter(_is_function, values):
        found.append(_called_with(world, one, given_))
    return world.tensor(*found)


def _called_with(world: World, function: Value, value: Value) -> Value:
    inner = function
    bound = 0
    while isinstance(inner, (Method, Partial)):
        bound += 1 if isinstance(inner, Method) else len(inner.arguments.positional)
        inner = inner.function
    count = 0
    if isinstance(inner, Function):
        parameters = [
            one for one in inner.scope.parameters if one.kind == "positional" and one.default is None
        ]
        count = max(0, len(parameters) - bound)
    return world.run.call(function, *(value for _ in range(count)))


def _py_func(world: World, arguments: Arguments) -> Value:
    function = given(world, arguments, "func", 0)
    made = world.tensor(*arguments.positional[1:])
    inputs = given(world, arguments, "inp", 1)
    items = inputs.items if isinstance(inputs, Sequence) else inputs
    count = len(items) if isinstance(items, (list, tuple)) else 0
    if _is_function(function):
        made.effects |= {Calls(function, count)}
    return made


def _function(world: World, arguments: Arguments) -> Value:
    """``tf.function``: what is made in it belongs to a graph of its own."""
    if not arguments.positional:
        return Native("tf.function", lambda given_: _function(world, given_))
    inner = arguments.positional[0]

    def called(given_: Arguments) -> Value:
        world.functions += 1
        try:
            return world.tensor(world.run.doors.call(world.run, inner, given_))
        finally:
            world.functions -= 1

    return Native("tf.function", called)


def _defun(world: World, arguments: Arguments) -> Value:
    """``function.Defun(…)``: what it makes of a function gives tensors of tensors."""
    if any(map(_is_function, arguments.positional)):
        return _function(world, arguments)
    return Native("Defun", lambda given_: _function(world, given_))


def _noted(world: World, arguments: Arguments) -> Value:
    """A function that only notes a function of the program, for ops that are made by themselves."""
    return None


def _same_function(world: World, arguments: Arguments) -> Value:
    """A decorator that leaves a function what it is, as far as it matters."""
    return (
        arguments.positional[0]
        if arguments.positional
        else Native("decorator", lambda one: one.positional[0])
    )


def _decorator_with_name(world: World, arguments: Arguments) -> Value:
    return Native("decorator", lambda one: one.positional[0])


def _map_structure(world: World, arguments: Arguments) -> Value:
    """``tf.nest.map_structure(function, structure)``: the keys of a dict come in order."""
    if len(arguments.positional) != 2 or arguments.keywords or arguments.vague:
        raise world.run.lost("it is not known of which structures a function is called")
    function, structure = arguments.positional

    def mapped(value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(mapped(one) for one in value)
        if isinstance(value, Sequence) and value.kind == "list":
            return Sequence([mapped(one) for one in value.items], value.vague)
        if isinstance(value, Table):
            items = {key: mapped(value.items[key]) for key in sorted(value.items, key=str)}
            return Table(items, value.vague)
        return world.run.call(function, value)

    return mapped(structure)


def _arg_scope(world: World, arguments: Arguments) -> Value:
    """``slim.arg_scope``: other defaults, of which none is known here either."""
    return Block(lambda: Table({}, vague=True), lambda: None)


FUNCTIONS: Models = {
    "tensorflow.make_template": lambda world, arguments: Partial(
        arguments.positional[1], Arguments(arguments.positional[2:], {})
    ),
    "tensorflow.register_tensor_conversion_function": _noted,
    "tensorflow.RegisterGradient": _decorator_with_name,
    "tensorflow.contrib.framework.add_arg_scope": _same_function,
    "tensorflow.contrib.slim.add_arg_scope": _same_function,
    "tensorflow.contrib.framework.arg_scope": _arg_scope,
    "tensorflow.contrib.slim.arg_scope": _arg_scope,
    "tensorflow.nest.map_structure": _map_structure,
    "tensorflow.contrib.framework.nest.map_structure": _map_structure,
    "tensorflow.cond": _call_each,
    "tensorflow.case": _call_each,
    "tensorflow.while_loop": _call_each,
    "tensorflow.map_fn": _call_each,
    "tensorflow.scan": _call_each,
    "tensorflow.foldl": _call_each,
    "tensorflow.py_func": _py_func,
    "tensorflow.numpy_function": _py_func,
    "tensorflow.function": _function,
    "tensorflow.contrib.eager.defun": _function,
    "tensorflow.python.framework.function.Defun": _defun,
    "tensorflow.custom_gradient": _defun,
}
