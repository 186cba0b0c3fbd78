"""Programs in which everything hangs on the thing before it, some thousand times over.

Generated code looks like this. Nobody needs to know what the last step of such a chain is; what stands beside
it must be found and fixed all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from command import folder_with
from fidelity import Tree

from npu_migrate import check

_BESIDE = """\
x = tf.data.Dataset.range(8).repeat().make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sess.run(x))
"""
"""What has to be found: one iterator, which can be fixed."""

_HEAD = "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n"


class Chain(NamedTuple):
    """`program` makes the files for a number of steps; `length` is as many as a test has time for.

    Python's stack once ended after a hundred steps of most chains, and after a thousand of all.
    """

    program: Callable[[int], Tree]
    length: int


def _in_one_file(first: str, step: str, last: str, length: int = 400) -> Chain:
    """A chain of lines: `{0}` stands for the number of a step, `{1}` for that of the step before."""

    def program(length: int) -> Tree:
        steps = "".join(step.format(number, number - 1) for number in range(1, length + 1))
        return {"train.py": f"{_HEAD}{first}{steps}{last.format(length)}{_BESIDE}".encode()}

    return Chain(program, length)


def _in_many_files(first: str, step: str, last: str, length: int = 200) -> Chain:
    """The same with a module `m1`, `m2`, … for each step."""

    def program(length: int) -> Tree:
        modules = {f"m{number}.py": step.format(number, number - 1) for number in range(1, length + 1)}
        main = f"{_HEAD}{last.format(length)}{_BESIDE}"
        return {path: text.encode() for path, text in {"m0.py": first, **modules, "train.py": main}.items()}

    return Chain(program, length)


_MANY_USES = """\
y = {0}.make_one_shot_iterator()
config = NPURunConfig(iterations_per_loop={0}, session_config={0})
NPUEstimator(model_fn={0}, config={0}).train({0}, steps={0}, hooks=[{0}])
NPULossScaleOptimizer({0}, ExperimentalConfig(graph_parallel_option_path={0}))
with {0} as s, tf.control_dependencies({0}):
    NPULossScaleOptimizer(opt, {0})
    s.run({0})
with tf.Session(config={0}) as s2:
    s2.run({0}.initializer)
    s2.run({0})
"""


def _uses_of(name: str) -> str:
    """Code that asks of the end of a chain all that rules want to know."""
    return _MANY_USES.replace("{0}", name)


CHAINS = {
    "names": _in_one_file("a0 = cfg\n", "a{0} = a{1}\n", _uses_of("a{0}")),
    "attributes": _in_one_file("a0 = cfg\n", "a{0} = a{1}.b\n", _uses_of("a{0}")),
    "items": _in_one_file("a0 = cfg\n", "a{0} = a{1}['b']\n", _uses_of("a{0}")),
    "sums": _in_one_file("a0 = 1\n", "a{0} = a{1} + 1\n", _uses_of("a{0}")),
    "one name": _in_one_file("a = cfg\n", "a = a.b\n", _uses_of("a"), 1500),
    "branches": _in_one_file("a0 = cfg\n", "a{0} = a{1} if c{0} else None\n", _uses_of("a{0}")),
    "lists": _in_one_file("a0 = [cfg]\n", "a{0} = [*a{1}, {0}]\n", _uses_of("a{0}")),
    "added lists": _in_one_file("a0 = [cfg]\n", "a{0} = a{1} + [{0}]\n", _uses_of("a{0}")),
    "appended": _in_one_file("a0 = [cfg]\n", "a{0} = [a{1}]\na{0}.append(a{1})\n", _uses_of("a{0}")),
    "dictionaries": _in_one_file(
        "a0 = {'iterations_per_loop': 5}\n",
        "a{0} = {{**a{1}, 'b': {0}}}\n",
        "NPURunConfig(**a{0})\nNPUEstimator(**a{0}).train(**a{0})\ninit(**a{0})\n" + _uses_of("a{0}"),
        600,
    ),
    "copied dictionaries": _in_one_file(
        "a0 = dict(iterations_per_loop=5)\n",
        "a{0} = dict(a{1}, b={0})\n",
        "NPURunConfig(**a{0})\nNPUEstimator(**a{0}).train(**a{0})\n" + _uses_of("a{0}"),
    ),
    "configs": _in_one_file(
        "a0 = tf.ConfigProto()\n",
        "a{0} = a{1}.graph_options.rewrite_options\na{0}.x.b = True\n",
        _uses_of("a{0}"),
    ),
    "functions": _in_one_file(
        "def f0(a):\n    return a.make_one_shot_iterator()\n",
        "def f{0}(a):\n    return f{1}(a)\n",
        "y = f{0}(tf.data.Dataset.range(8)).get_next()\n" + _uses_of("f{0}(1)"),
        1200,
    ),
    "functions that build": _in_one_file(
        "def f0():\n    it = tf.data.Dataset.range(8).make_one_shot_iterator()\n    return it.get_next()\n",
        "def f{0}():\n    return f{1}()\n",
        "with tf.Session() as s:\n    s.run(f{0}())\n",
        1200,
    ),
    "functions with sessions": _in_one_file(
        "def f0(sess):\n    sess.run(tf.global_variables_initializer())\n",
        "def f{0}(sess):\n    f{1}(sess)\n",
        "with tf.Session() as s:\n    it = tf.data.Dataset.range(8).make_one_shot_iterator()\n    f{0}(s)\n",
    ),
    "functions that optimize": _in_one_file(
        "def f0(opt):\n    return NPULossScaleOptimizer(opt, FixedLossScaleManager(8))\n",
        "def f{0}(opt):\n    with tf.control_dependencies([opt]):\n        return f{1}(opt)\n",
        "y = f{0}(tf.train.AdamOptimizer())\n",
    ),
    "functions in functions": _in_one_file(
        "def f0():\n    pass\n",
        "def f{0}(g=f{1}):\n    def h():\n        return g()\n    return h\n",
        _uses_of("f{0}()()"),
    ),
    "default values": _in_one_file(
        "def f0(n=8):\n    return n\n", "def f{0}(n=f{1}()):\n    return n\n", _uses_of("f{0}()")
    ),
    "parameters": _in_one_file(
        "def f0(n):\n    NPURunConfig(iterations_per_loop=n, session_config=n)\n",
        "def f{0}(n):\n    f{1}(n)\n",
        "f{0}(5)\n",
    ),
    "lambdas": _in_one_file("f0 = lambda a: a\n", "f{0} = lambda a: f{1}(a)\n", _uses_of("f{0}(1)")),
    "partial": _in_one_file(
        "import functools\ndef f0(a, b=1):\n    return a.make_one_shot_iterator()\n",
        "f{0} = functools.partial(f{1}, b={0})\n",
        "tf.data.Dataset.range(8).map(f{0})\n" + _uses_of("f{0}(1)"),
    ),
    "functions of datasets": _in_one_file(
        "def f0(a):\n    return a.make_one_shot_iterator()\n",
        "def f{0}(a):\n    return tf.data.Dataset.range(8).map(f{1})\n",
        _uses_of("f{0}(1)"),
    ),
    "decorators": _in_one_file(
        "def f0(a):\n    return a\n", "@f{1}\ndef f{0}(a):\n    return a\n", _uses_of("f{0}(1)")
    ),
    "classes": _in_one_file(
        "class A0:\n    def run(self):\n        return self.make_one_shot_iterator()\n",
        "class A{0}(A{1}):\n    def run(self):\n        return super().run()\n",
        _uses_of("A{0}().run()"),
        150,
    ),
    "inner classes": _in_one_file(
        "class A0:\n    class B:\n        pass\n", "class A{0}(A{1}.B):\n    pass\n", _uses_of("A{0}().B()")
    ),
    "objects": _in_one_file(
        "class A0:\n    def get(self):\n        return self\n",
        "class A{0}:\n    def __init__(self):\n        self.a = A{1}()\n"
        "    def get(self):\n        return self.a.get()\n",
        _uses_of("A{0}().get().a"),
        200,
    ),
    "methods": _in_one_file(
        "class A:\n    def f0(self):\n        self.it = y.make_one_shot_iterator()\n        return self.it\n",
        "    def f{0}(self):\n        return self.f{1}()\n",
        _uses_of("A().f{0}()"),
    ),
    "datasets": _in_one_file(
        "a0 = tf.data.Dataset.range(8)\n",
        "a{0} = a{1}.map(g).batch(8)\n",
        "y = a{0}.make_one_shot_iterator().get_next()\n" + _uses_of("a{0}"),
        140,
    ),
    "one dataset": _in_one_file(
        "a = tf.data.Dataset.range(8)\n", "a = a.map(g)\n", "a.repeat().make_one_shot_iterator()\n"
    ),
    "context managers": _in_one_file(
        "import contextlib\n@contextlib.contextmanager\ndef f0():\n"
        "    with tf.control_dependencies([y]):\n        yield\n",
        "@contextlib.contextmanager\ndef f{0}():\n    with f{1}():\n        yield\n",
        "with f{0}():\n    NPULossScaleOptimizer(opt, FixedLossScaleManager(8))\n",
    ),
    "sessions": _in_one_file(
        "a0 = tf.Session()\n",
        "a{0} = a{1}.as_default()\n",
        "with a{0} as s:\n    s.run(tf.data.Dataset.range(8).make_one_shot_iterator().get_next())\n",
    ),
    "operations": _in_one_file(
        "a0 = tf.global_variables_initializer()\n",
        "a{0} = tf.group(a{1}, tf.tables_initializer())\n",
        "with tf.Session() as s:\n    s.run(a{0})\n" + _uses_of("a{0}"),
    ),
    "optimizers": _in_one_file(
        "a0 = tf.train.AdamOptimizer()\n",
        "a{0} = NPULossScaleOptimizer(a{1}, FixedLossScaleManager(8))\n",
        "t = a{0}.minimize(loss)\n",
    ),
    "train operations": _in_one_file(
        "a0 = tf.train.AdamOptimizer().minimize(loss)\n",
        "a{0} = util.set_iteration_per_loop(s, a{1}, 10)\n",
        "with tf.Session() as s:\n    s.run(a{0})\n",
    ),
    "environment": _in_one_file(
        "import os\na0 = os.environ.get('A', 1)\n", "a{0} = int(os.path.join(a{1}, '..'))\n", _uses_of("a{0}")
    ),
    "search paths": _in_one_file(
        "import sys, os\na0 = os.path.dirname(__file__)\n",
        "a{0} = os.path.join(a{1}, 'x')\n",
        "sys.path.append(a{0})\nimport other\n",
    ),
    "flags": _in_one_file(
        "tf.flags.DEFINE_integer('f0', 5, '')\n",
        "tf.flags.DEFINE_integer('f{0}', tf.flags.FLAGS.f{1}, '')\n",
        _uses_of("tf.flags.FLAGS.f{0}"),
    ),
    "statements": _in_one_file("", "if c{0}:\n    a = {0}\n", _uses_of("a")),
    "modules": _in_many_files("A = 5\n", "from m{1} import A\n", "from m{0} import A\n" + _uses_of("A")),
    "starred modules": _in_many_files(
        "A = 5\n", "from m{1} import *\n", "from m{0} import *\n" + _uses_of("A")
    ),
    "modules of modules": _in_many_files(
        "A = 5\n", "import m{1}\nA = m{1}.A\n", "import m{0}\n" + _uses_of("m{0}.A")
    ),
    "functions of modules": _in_many_files(
        "def f0(a):\n    return a.make_one_shot_iterator()\n",
        "from m{1} import f{1}\ndef f{0}(a):\n    return f{1}(a)\n",
        "from m{0} import f{0}\n" + _uses_of("f{0}(1)"),
    ),
    "classes of modules": _in_many_files(
        "class A0:\n    def run(self):\n        return 5\n",
        "from m{1} import A{1}\nclass A{0}(A{1}):\n    pass\n",
        "from m{0} import A{0}\n" + _uses_of("A{0}().run()"),
    ),
}


def require_found_beside(chain: Chain, length: int) -> None:
    """Raises `AssertionError` unless everything is checked and the iterator beside the chain can be fixed."""
    with folder_with(chain.program(length)):
        found = check(["."]).diagnostics
    assert not [one.message for one in found if one.code in ("NPU901", "NPU902", "NPU903")]
    last = max(one.range.start.line for one in found if one.path == "train.py")
    beside = [one for one in found if one.path == "train.py" and one.range.start.line == last]
    assert [one.code for one in beside] == ["NPU101"] and beside[0].fix is not None
