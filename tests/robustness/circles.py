"""Programs whose modules, functions, classes and variables need each other in circles.

Real code seldom does this on purpose. It happens all the same, and a question that follows an import, a call,
a value or a base class must come to an end.
"""

from __future__ import annotations

import ast
import contextlib
import re
from random import Random

from fidelity import Tree

_HEAD = """\
import tensorflow as tf
from npu_bridge.npu_init import *
from mx_rec.util.initialize import init
"""

_MODULES = ("train", "a", "b", "c")
_NAMES = ("x", "y", "z", "f", "g", "h", "K", "L", "steps", "cfg")

_STATEMENTS = (
    # imports
    "from M import N",
    "from M import N as N2",
    "import M",
    "from M import *",
    # values
    "N = N2",
    "N = M.N2",
    "N = N2 + 1",
    "N, N2 = N2, N",
    "N = [N2, N]",
    "N = {'k': N2, **N}",
    "N = N2['k']",
    "N['k'] = N2",
    "N.N2 = N2",
    "N = N2.N",
    "N = N if N2 else N2",
    "N = N or N2",
    "N += N2",
    "N = max(N, N2)",
    "N = dict(N2, k=N)",
    "N.update(N2)",
    "N = lambda q=N2: N(q)",
    "N = [N2 for N in N2]",
    "N = N2(N)",
    "N = N2(N)(N2)",
    "N = functools.partial(N2, N)",
    "N.append(N2)",
    "for N in N2: N2 = N",
    "with N2(N) as N: N2 = N",
    "(N := N2)",
    "global_N = N = global_N",
    "del N",
    # what rules look at
    "N = N2.make_one_shot_iterator()",
    "N = N.make_initializable_iterator()",
    "N = N2.get_next()",
    "N = N2.initializer",
    "N = tf.data.Dataset.from_tensor_slices(N2).batch(N)",
    "N = N2.repeat().batch(N, drop_remainder=N2)",
    "N = tf.Session(config=N2)",
    "N = tf.train.MonitoredTrainingSession(hooks=N2, config=N)",
    "with tf.Session(config=N) as N2: N2.run(N)",
    "N.run(N2)",
    "N = N2.run([N, N2])",
    "N = tf.ConfigProto()",
    "N = N2.graph_options.rewrite_options.custom_optimizers.add()",
    "N.parameter_map['iterations_per_loop'].i = N2",
    "N.parameter_map['enable_data_pre_proc'].b = N2",
    "N = NPURunConfig(iterations_per_loop=N2, save_checkpoints_steps=N, session_config=N2)",
    "N = NPUEstimator(model_fn=N2, config=N, params=N2)",
    "N.train(N2, steps=N, hooks=[N2])",
    "N = tf.estimator.EstimatorSpec(N2, loss=N, train_op=N2, training_hooks=N)",
    "N = NPULossScaleOptimizer(N2, N)",
    "N = ExponentialUpdateLossScaleManager(init_loss_scale=N2, incr_every_n_steps=N)",
    "with tf.control_dependencies([N, N2]): N = N2.minimize(N)",
    "N = util.set_iteration_per_loop(N2, N, N2)",
    "N = ExperimentalConfig(graph_parallel_option_path=N2)",
    "init(train_steps=N, eval_steps=N2, use_dynamic=N)",
    "init(**N)",
    "N = tf.flags.DEFINE_integer('N', N2, 'help')",
    "N = FLAGS.N",
    "tf.app.run(N)",
    "for N in range(N2): N.run(N2)",
    "while N: N2.run(N)",
    "return N",
    "yield N",
    "raise N",
    "if N: N = N2",
)
_BLOCKS = (
    "def N(N2, N3=N):",
    "def N(*N2, **N3):",
    "def N(self, N2):",
    "@N2\ndef N(N3):",
    "@property\ndef N(self):",
    "async def N():",
    "class N(N2):",
    "class N(M.N2, metaclass=N3):",
    "class N(N):",
    "if N:",
    "for N in N2:",
    "while True:",
    "with N2 as N:",
    "try:",
    "with tf.control_dependencies(N):",
    "with tf.Session(config=N2) as N:",
    "if __name__ == '__main__':",
)
_INSIDE_FUNCTION = ("return", "yield")

_BACK_INTO_ITSELF = (
    "[N, N]",
    "{**N, 'k': N}",
    "dict(N, k=N)",
    "N['k']",
    "N.copy()",
    "[N for q in N]",
    "lambda: N",
    "N if N else N",
    "functools.partial(N)",
    "N.as_default()",
    "N.__enter__()",
    "N.batch(2)",
    "N.replace(session_config=N)",
    "N.run(N, feed_dict={N: N})",
    "N.minimize(N)",
    "tf.cast(N, tf.float32)",
    "tf.group(N)",
    "tf.Session(config=N)",
    "tf.train.Scaffold(N)",
    "tf.estimator.Estimator(N, config=N)",
    "npu_run_config_init(run_config=N)",
    "npu_config_proto(config_proto=N)",
    "npu_distributed_optimizer_wrapper(N)",
    "NPULossScaleOptimizer(N, N)",
    "hvd.DistributedOptimizer(N)",
)


def circular_program(seed: int) -> Tree:
    """The files of a program, the same for the same seed."""
    random = Random(seed)
    modules = _MODULES[: random.randint(1, len(_MODULES))]
    names = _NAMES[: random.randint(2, len(_NAMES))]
    return {f"{module}.py": _module(random, modules, names).encode() for module in modules}


def _module(random: Random, modules: tuple[str, ...], names: tuple[str, ...]) -> str:
    while True:
        text = _HEAD + _block(random, modules, names, 0, inside_function=False)
        with contextlib.suppress(SyntaxError):
            compile(text, "module", "exec", dont_inherit=True)
            return text


def _block(
    random: Random, modules: tuple[str, ...], names: tuple[str, ...], depth: int, *, inside_function: bool
) -> str:
    lines: list[str] = []
    for _ in range(random.randint(3, 14) if depth == 0 else random.randint(1, 5)):
        if depth < 3 and random.random() < 0.3:
            header = _filled(random, random.choice(_BLOCKS), modules, names)
            function = "def " in header
            body = _block(
                random,
                modules,
                names,
                depth + 1,
                inside_function=function or (inside_function and "class " not in header),
            )
            lines += header.splitlines()
            lines += [f"    {line}" for line in body.splitlines()]
            if header == "try:":
                lines += ["finally:", "    pass"]
        else:
            statement = random.choice(_STATEMENTS)
            if inside_function or not statement.startswith(_INSIDE_FUNCTION):
                lines.append(_filled(random, statement, modules, names))
    return "".join(f"{line}\n" for line in lines or ["pass"])


def _filled(random: Random, template: str, modules: tuple[str, ...], names: tuple[str, ...]) -> str:
    """The template with names for N, N2, N3 and a module for M."""
    words = {f"N{number}": random.choice(names) for number in ("", 2, 3)} | {"M": random.choice(modules)}
    return re.sub(r"\b(N[23]?|M)\b", lambda match: words[match[0]], template)


def with_values_in_circles(text: str, seed: int) -> str:
    """The program, in which some values are made again out of themselves."""
    tree = ast.parse(text)
    _CirclesAdded(Random(seed)).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


class _CirclesAdded(ast.NodeTransformer):
    """Puts a loop behind assignments that assigns to the same name or field again."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        target = node.targets[0]
        if not isinstance(target, (ast.Name, ast.Attribute)) or self._random.random() < 0.3:
            return [node]
        name = ast.unparse(target)
        made = self._random.choice(_BACK_INTO_ITSELF)
        if isinstance(node.value, ast.Call) and self._random.random() < 0.4:
            made = f"{ast.unparse(node.value.func)}(N)"
        again = re.sub(r"\bN\b", lambda _: name, made)
        return [node, *ast.parse(f"for _ in range(2):\n    {name} = {again}").body]
