"""Which constants an expression may be: every way in which real scripts spell a number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from source_trees import tree_of

from npu_migrate.index.facts import argument
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import Value
from npu_migrate.training.libraries import LIBRARIES

UNKNOWN = "unknown"


def project_of(root: Path, files: dict[str, str]) -> Project:
    tree = tree_of(root, files)
    return Project(tree, relevant_files(tree), LIBRARIES)


def used(project: Project) -> list[Ref]:
    """The arguments of all ``NPURunConfig(iterations_per_loop=…)``."""
    refs = []
    for key, site in project.calls_named("NPURunConfig"):
        value = argument(site.call, "iterations_per_loop")
        assert value is not None
        refs.append(Ref(key, site.scope, site.statement, value))
    return refs


def value_in(tmp_path: Path, text: str, **others: str) -> Value:
    files = {f"{name}.py": other for name, other in others.items()}
    project = project_of(tmp_path, {**files, "train.py": text})
    (ref,) = used(project)
    return evaluate(project, ref)


def known(value: Value) -> Any:
    """``100``; ``"100?"`` for a default; ``{1, 10}`` for alternatives; "unknown"."""
    if not value.is_known:
        return UNKNOWN
    found = [f"{k.constant!r}?" if k.is_default else repr(k.constant) for k in value.alternatives]
    return " or ".join(sorted(found))


CASES = {
    # literals and arithmetic
    "literal": ("NPURunConfig(iterations_per_loop=100)", "100"),
    "arithmetic": ("NPURunConfig(iterations_per_loop=2 * 10 ** 2 // 4 + -1)", "49"),
    "division gives a float": ("NPURunConfig(iterations_per_loop=100 / 10)", "10.0"),
    "text": ("NPURunConfig(iterations_per_loop='100')", "'100'"),
    "bytes": (
        "import tensorflow as tf\nNPURunConfig(iterations_per_loop=tf.compat.as_bytes('fast'))",
        "b'fast'",
    ),
    "f-string": (
        "m = 'step'\nNPURunConfig(iterations_per_loop=f'fast|{m}|{0.9:.2f}|{m!r}')",
        "\"fast|step|0.90|'step'\"",
    ),
    "percent": ("NPURunConfig(iterations_per_loop='fast|%s|%.1f' % ('step', 0.9))", "'fast|step|0.9'"),
    "format": ("NPURunConfig(iterations_per_loop='{}|{b}'.format('fast', b=1))", "'fast|1'"),
    "join": ("NPURunConfig(iterations_per_loop='|'.join(['fast', 'step']))", "'fast|step'"),
    "too large": ("NPURunConfig(iterations_per_loop=10 ** 10 ** 10)", UNKNOWN),
    "too wide": ("NPURunConfig(iterations_per_loop='%999999999d' % 1)", UNKNOWN),
    "division by zero": ("NPURunConfig(iterations_per_loop=1 // 0)", UNKNOWN),
    "builtins": ("NPURunConfig(iterations_per_loop=max(100, int('7'), len('abc'), abs(-3)))", "100"),
    "shadowed builtin": (
        "def max(a, b): return read()\nNPURunConfig(iterations_per_loop=max(1, 2))",
        UNKNOWN,
    ),
    "conditional": ("NPURunConfig(iterations_per_loop=10 if x else 1)", "1 or 10"),
    "conditional, unknown branch": ("NPURunConfig(iterations_per_loop=10 if x else y())", UNKNOWN),
    "or": ("NPURunConfig(iterations_per_loop=None or 10)", "10"),
    # names
    "constant": ("N = 100\nNPURunConfig(iterations_per_loop=N)", "100"),
    "constant read in a function": ("N = 100\ndef f():\n  NPURunConfig(iterations_per_loop=N)\nf()", "100"),
    "straight line": ("n = 1\nn = 10\nNPURunConfig(iterations_per_loop=n)\nn = 3", "10"),
    "reassigned, read late": ("n = 1\nn = 10\ndef f():\n  NPURunConfig(iterations_per_loop=n)\nf()", UNKNOWN),
    "augmented": ("n = 1\nn += 10\nNPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "augmented later": ("n = 1\nNPURunConfig(iterations_per_loop=n)\nn += 10", "1"),
    "augmented in a loop around": (
        "n = 1\nwhile x:\n  NPURunConfig(iterations_per_loop=n)\n  n += 10",
        UNKNOWN,
    ),
    "assigned in a loop before": (
        "n = 1\nfor i in x:\n  n = i\nNPURunConfig(iterations_per_loop=n)",
        UNKNOWN,
    ),
    "loop variable": ("for n in (1, 2):\n  NPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "in the test of its loop": (
        "n = 1\nwhile NPURunConfig(iterations_per_loop=n):\n  n = f(n)",
        UNKNOWN,
    ),
    "both branches": ("if x:\n  n = 10\nelse:\n  n = 20\nNPURunConfig(iterations_per_loop=n)", "10 or 20"),
    "one branch": ("n = 1\nif x:\n  n = 10\nNPURunConfig(iterations_per_loop=n)", "1 or 10"),
    "a branch that leaves": (
        "def f(x):\n  n = 1\n  if x:\n    n = 10\n    return n\n  NPURunConfig(iterations_per_loop=n)\nf(0)",
        "1",
    ),
    "break carries a value out": (
        "n = 1\nfor i in x:\n  if i:\n    n = 10\n    break\nNPURunConfig(iterations_per_loop=n)",
        "1 or 10",
    ),
    "try": (
        "try:\n  n = int(read())\nexcept ValueError:\n  n = 10\nNPURunConfig(iterations_per_loop=n)",
        UNKNOWN,
    ),
    "in try": ("n = 10\ntry:\n  NPURunConfig(iterations_per_loop=n)\nfinally:\n  pass", "10"),
    "with": ("with a() as b:\n  n = 10\nNPURunConfig(iterations_per_loop=n)", "10"),
    "with target": ("n = 1\nwith a() as n:\n  NPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "global": (
        "n = 1\ndef g():\n  global n\n  n = 10\ng()\nNPURunConfig(iterations_per_loop=n)",
        UNKNOWN,
    ),
    "nonlocal": (
        "def f():\n  n = 1\n  def g():\n    nonlocal n\n    n = 10\n  g()\n"
        "  NPURunConfig(iterations_per_loop=n)\nf()",
        UNKNOWN,
    ),
    "walrus": ("n = 1\nif (n := 10) > 3:\n  NPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "walrus in the same statement": ("n = 1\nx = (n := 5) + f(NPURunConfig(iterations_per_loop=n))", UNKNOWN),
    "exec": ("N = 100\nexec(open('x').read())\nNPURunConfig(iterations_per_loop=N)", UNKNOWN),
    "globals() set": ("N = 100\nglobals()[read()] = 1\nNPURunConfig(iterations_per_loop=N)", UNKNOWN),
    "globals() read": ("N = 100\nf = globals()[read()]\nNPURunConfig(iterations_per_loop=N)", "100"),
    "unpacked": ("a, (n, b) = 1, (10, 2)\nNPURunConfig(iterations_per_loop=n)", "10"),
    "unpacked name": ("p = (1, 10)\na, n = p\nNPURunConfig(iterations_per_loop=n)", "10"),
    "starred": ("a, *n = 1, 2, 3\nNPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "swapped": ("a = 1\nb = 10\na, b = b, a\nNPURunConfig(iterations_per_loop=a)", "10"),
    "of itself": ("n = n\nNPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "of each other": (
        "def f(): return g()\ndef g(): return f()\nNPURunConfig(iterations_per_loop=f())",
        UNKNOWN,
    ),
    "deleted": ("n = 1\ndel n\nNPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "comprehension": ("n = 10\n[NPURunConfig(iterations_per_loop=n) for _ in x]", "10"),
    "comprehension variable": ("n = 10\n[NPURunConfig(iterations_per_loop=n) for n in x]", UNKNOWN),
    "lambda reads late": ("n = 1\nf = lambda: NPURunConfig(iterations_per_loop=n)\nn = 10", UNKNOWN),
    "item of a tuple": ("N = (1, 10)\nNPURunConfig(iterations_per_loop=N[1])", "10"),
    "item of a list": ("N = [1, 10]\nNPURunConfig(iterations_per_loop=N[-1])", "10"),
    "item of a changed list": ("N = [1, 10]\nN[1] = 5\nNPURunConfig(iterations_per_loop=N[1])", UNKNOWN),
    "length of a grown list": ("N = [1]\nN.append(2)\nNPURunConfig(iterations_per_loop=len(N))", UNKNOWN),
    # functions
    "only call": ("def f(n):\n  NPURunConfig(iterations_per_loop=n)\nf(100)", "100"),
    "by keyword": ("def f(a, n=1):\n  NPURunConfig(iterations_per_loop=n)\nf(0, n=100)", "100"),
    "by **": ("def f(a, n=1):\n  NPURunConfig(iterations_per_loop=n)\nf(0, **{'n': 100})", "100"),
    "by ** of a name": (
        "def f(a, n=1):\n  NPURunConfig(iterations_per_loop=n)\nk = dict(n=100)\nf(0, **k)",
        "100",
    ),
    "by ** we cannot see": ("def f(n=1):\n  NPURunConfig(iterations_per_loop=n)\nf(**read())", UNKNOWN),
    "by *": ("def f(n=1):\n  NPURunConfig(iterations_per_loop=n)\nf(*read())", UNKNOWN),
    "function default": ("def f(n=100):\n  NPURunConfig(iterations_per_loop=n)\nf()", "100?"),
    "function default, never called": ("def f(n=100):\n  NPURunConfig(iterations_per_loop=n)", "100?"),
    "no default, never called": ("def f(n):\n  NPURunConfig(iterations_per_loop=n)", UNKNOWN),
    "two calls": ("def f(n):\n  NPURunConfig(iterations_per_loop=n)\nf(1)\nf(10)", "1 or 10"),
    "handed on": ("def f(n=10):\n  NPURunConfig(iterations_per_loop=n)\nf(1)\nrun(f)", UNKNOWN),
    "partial": (
        "import functools\ndef f(a, n):\n  NPURunConfig(iterations_per_loop=n)\n"
        "run(functools.partial(f, 1, n=100))",
        "100",
    ),
    "parameter filled in": (
        "def f(n=None):\n  n = n or 10\n  NPURunConfig(iterations_per_loop=n)\nf()",
        "10?",
    ),
    "kwargs": ("def f(**k):\n  NPURunConfig(iterations_per_loop=k['n'])\nf(n=100)", "100"),
    "kwargs get": ("def f(**k):\n  NPURunConfig(iterations_per_loop=k.get('n', 10))\nf()", "10?"),
    "kwargs pop": ("def f(**k):\n  NPURunConfig(iterations_per_loop=k.pop('n', 10))\nf(n=5)", "5"),
    "varargs": ("def f(*n):\n  NPURunConfig(iterations_per_loop=n)\nf(1)", UNKNOWN),
    "returned": ("def n(): return 100\nNPURunConfig(iterations_per_loop=n())", "100"),
    "returned or None": ("def n(x):\n  if x: return 100\nNPURunConfig(iterations_per_loop=n(1))", UNKNOWN),
    "returned either way": (
        "def n(x):\n  if x: return 100\n  return 10\nNPURunConfig(iterations_per_loop=n(1))",
        "10 or 100",
    ),
    "decorated": ("@wrap\ndef n(): return 100\nNPURunConfig(iterations_per_loop=n())", UNKNOWN),
    "lambda": ("n = lambda: 100\nNPURunConfig(iterations_per_loop=n())", "100"),
    "generator": ("def n():\n  yield 1\n  return 5\nNPURunConfig(iterations_per_loop=n())", UNKNOWN),
    "a tuple returned": (
        "def n():\n  return 1, 100\na, b = n()\nNPURunConfig(iterations_per_loop=b)",
        "100",
    ),
    "recursive": ("def f(n):\n  NPURunConfig(iterations_per_loop=n)\n  f(n - 1)\nf(10)", UNKNOWN),
    # classes
    "class constant": ("class C:\n  N = 100\nNPURunConfig(iterations_per_loop=C.N)", "100"),
    "inherited": (
        "class B:\n  N = 100\nclass C(B):\n  pass\nNPURunConfig(iterations_per_loop=C.N)",
        "100",
    ),
    "overridden": ("class B:\n  N = 1\nclass C(B):\n  N = 100\nNPURunConfig(iterations_per_loop=C.N)", "100"),
    "class constant set": (
        "class C:\n  N = 100\nC.N = 5\nNPURunConfig(iterations_per_loop=C.N)",
        UNKNOWN,
    ),
    "instance constant": ("class C:\n  N = 100\nc = C()\nNPURunConfig(iterations_per_loop=c.N)", "100"),
    "self": (
        "class C:\n  def __init__(self):\n    self.n = 100\n"
        "  def f(self):\n    NPURunConfig(iterations_per_loop=self.n)\nC().f()",
        "100",
    ),
    "self set twice": (
        "class C:\n  def __init__(self):\n    self.n = 100\n  def g(self):\n    self.n = 1\n"
        "  def f(self):\n    NPURunConfig(iterations_per_loop=self.n)\nC().f()",
        UNKNOWN,
    ),
    "self augmented": (
        "class C:\n  def __init__(self):\n    self.n = 100\n  def g(self):\n    self.n += 1\n"
        "  def f(self):\n    NPURunConfig(iterations_per_loop=self.n)\nC().f()",
        UNKNOWN,
    ),
    "set from outside": (
        "class C:\n  def __init__(self):\n    self.n = 100\n"
        "c = C()\nc.n = 5\nNPURunConfig(iterations_per_loop=c.n)",
        UNKNOWN,
    ),
    "setattr on self": (
        "class C:\n  n = 100\n  def __init__(self, **k):\n    for a in k: setattr(self, a, k[a])\n"
        "c = C(n=5)\nNPURunConfig(iterations_per_loop=c.n)",
        UNKNOWN,
    ),
    "constructor argument": (
        "class C:\n  def __init__(self, n=1):\n    self.n = n\nc = C(n=100)\n"
        "NPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    "the very instance": (
        "class C:\n  def __init__(self, n=1):\n    self.n = n\na = C(n=1)\nc = C(n=100)\n"
        "NPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    "super().__init__": (
        "class B:\n  def __init__(self, n):\n    self.n = n\n"
        "class C(B):\n  def __init__(self):\n    super().__init__(100)\n"
        "c = C()\nNPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    "property": (
        "class C:\n  @property\n  def n(self): return 100\nNPURunConfig(iterations_per_loop=C().n)",
        "100",
    ),
    "method argument": (
        "class C:\n  def f(self, n):\n    NPURunConfig(iterations_per_loop=n)\nC().f(100)",
        "100",
    ),
    "method of an unknown object": (
        "class C:\n  def f(self, n=1):\n    NPURunConfig(iterations_per_loop=n)\nx().f(100)",
        UNKNOWN,
    ),
    "dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass C:\n  n: int = 100\n"
        "c = C()\nNPURunConfig(iterations_per_loop=c.n)",
        "100?",
    ),
    "dataclass argument": (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n  n: int = 1\n"
        "c = C(n=100)\nNPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    "namedtuple": (
        "from collections import namedtuple\nC = namedtuple('C', ['m', 'n'])\nc = C(1, 100)\n"
        "NPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    # dictionaries
    "dict": ("c = {'n': 100}\nNPURunConfig(iterations_per_loop=c['n'])", "100"),
    "dict()": ("c = dict(n=100)\nNPURunConfig(iterations_per_loop=c['n'])", "100"),
    "nested dict": ("c = {'a': {'n': 100}}\nNPURunConfig(iterations_per_loop=c['a']['n'])", "100"),
    "dict set": ("c = {}\nc['n'] = 100\nNPURunConfig(iterations_per_loop=c['n'])", "100"),
    "dict set again": ("c = {'n': 1}\nc['n'] = 100\nNPURunConfig(iterations_per_loop=c['n'])", UNKNOWN),
    "dict updated": ("c = {'n': 1}\nc.update(read())\nNPURunConfig(iterations_per_loop=c['n'])", UNKNOWN),
    "dict updated elsewhere": (
        "c = {'n': 100}\nc.update({'m': 1})\nNPURunConfig(iterations_per_loop=c['n'])",
        "100",
    ),
    "dict set by computed key": (
        "c = {'n': 100}\nfor k in x:\n  c[k] = 1\nNPURunConfig(iterations_per_loop=c['n'])",
        UNKNOWN,
    ),
    "dict merged": ("b = {'n': 1}\nc = {**b, 'n': 100}\nNPURunConfig(iterations_per_loop=c['n'])", "100"),
    "dict get": ("c = {'n': 100}\nNPURunConfig(iterations_per_loop=c.get('n', 1))", "100"),
    "dict get default": ("c = {}\nNPURunConfig(iterations_per_loop=c.get('n', 100))", "100?"),
    "get of something unknown": ("c = read()\nNPURunConfig(iterations_per_loop=c.get('n', 100))", "100?"),
    "get of a key set to something unknown": (
        "c = {'n': read()}\nNPURunConfig(iterations_per_loop=c.get('n', 100))",
        UNKNOWN,
    ),
    "ini file": (
        "import configparser\nc = configparser.ConfigParser()\n"
        "NPURunConfig(iterations_per_loop=c.get('train', 'n'))",
        UNKNOWN,
    ),
    "passed dict": (
        "def f(c):\n  NPURunConfig(iterations_per_loop=c['n'])\nf({'n': 100})",
        "100",
    ),
    # attribute-style objects
    "easydict": (
        "from easydict import EasyDict as E\nc = E()\nc.n = 100\nNPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    "nested easydict": (
        "from easydict import EasyDict as edict\nC = edict()\ncfg = C\nC.T = edict()\nC.T.n = 100\n"
        "NPURunConfig(iterations_per_loop=cfg.T.n)",
        "100",
    ),
    "easydict of a dict": (
        "from easydict import EasyDict\nc = EasyDict({'n': 100})\nNPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    "hparams": (
        "import tensorflow as tf\nh = tf.contrib.training.HParams(n=100)\n"
        "NPURunConfig(iterations_per_loop=h.n)",
        "100",
    ),
    "hparams parsed": (
        "import tensorflow as tf\nh = tf.contrib.training.HParams(n=100)\nh.parse(read())\n"
        "NPURunConfig(iterations_per_loop=h.n)",
        UNKNOWN,
    ),
    "namespace": (
        "import types\nc = types.SimpleNamespace(n=100)\nNPURunConfig(iterations_per_loop=c.n)",
        "100",
    ),
    # environment
    "environment": ("import os\nNPURunConfig(iterations_per_loop=int(os.environ.get('N', '100')))", "100?"),
    "getenv": ("import os\nNPURunConfig(iterations_per_loop=int(os.getenv('N', 100)))", "100?"),
    "environment without default": (
        "import os\nNPURunConfig(iterations_per_loop=int(os.environ['N']))",
        UNKNOWN,
    ),
    "environment set": (
        "import os\nos.environ['N'] = '5'\nNPURunConfig(iterations_per_loop=os.environ.get('N', '100'))",
        UNKNOWN,
    ),
    # flags
    "tf flag": (
        "import tensorflow as tf\ntf.app.flags.DEFINE_integer('n', 100, '')\nFLAGS = tf.app.flags.FLAGS\n"
        "NPURunConfig(iterations_per_loop=FLAGS.n)",
        "100?",
    ),
    "tf flag by keyword": (
        "import tensorflow as tf\nflags = tf.flags\nflags.DEFINE_integer(name='n', default=100, help='')\n"
        "NPURunConfig(iterations_per_loop=flags.FLAGS.n)",
        "100?",
    ),
    "absl flag": (
        "from absl import flags\nflags.DEFINE_integer('n', 10 * 10, '')\nFLAGS = flags.FLAGS\n"
        "def f():\n  NPURunConfig(iterations_per_loop=max(5, FLAGS.n))\nf()",
        "100?",
    ),
    "compat flag": (
        "import tensorflow.compat.v1 as tf\ntf.flags.DEFINE_integer('n', default=100, help='')\n"
        "NPURunConfig(iterations_per_loop=tf.flags.FLAGS.n)",
        "100?",
    ),
    "flag set": (
        "from absl import flags\nflags.DEFINE_integer('n', 100, '')\nFLAGS = flags.FLAGS\nFLAGS.n = 5\n"
        "NPURunConfig(iterations_per_loop=FLAGS.n)",
        UNKNOWN,
    ),
    "flag set_default": (
        "from absl import flags\nflags.DEFINE_integer('n', 100, '')\nFLAGS = flags.FLAGS\n"
        "FLAGS.set_default('n', 5)\nNPURunConfig(iterations_per_loop=FLAGS.n)",
        UNKNOWN,
    ),
    "flag required": (
        "from absl import flags\nflags.DEFINE_integer('n', None, '')\nFLAGS = flags.FLAGS\n"
        "flags.mark_flag_as_required('n')\nNPURunConfig(iterations_per_loop=FLAGS.n)",
        UNKNOWN,
    ),
    "flag defined twice": (
        "from absl import flags\nif x:\n  flags.DEFINE_integer('n', 100, '')\nelse:\n"
        "  flags.DEFINE_integer('n', 10, '')\nNPURunConfig(iterations_per_loop=flags.FLAGS.n)",
        UNKNOWN,
    ),
    "flag holder": (
        "from absl import flags\nN = flags.DEFINE_integer('n', 100, '')\n"
        "NPURunConfig(iterations_per_loop=N.value)",
        "100?",
    ),
    "flag as argument": (
        "from absl import flags\nflags.DEFINE_integer('n', 100, '')\n"
        "def f(config):\n  NPURunConfig(iterations_per_loop=config.n)\nf(flags.FLAGS)",
        "100?",
    ),
    "flag not defined": ("from absl import flags\nNPURunConfig(iterations_per_loop=flags.FLAGS.n)", UNKNOWN),
    "flag of text": (
        "from absl import flags\nflags.DEFINE_string('n', None, '')\n"
        "NPURunConfig(iterations_per_loop=flags.FLAGS.n)",
        "None?",
    ),
    # argparse
    "argparse": (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('-n', '--loop-steps', default=100, type=int)\nargs = p.parse_args()\n"
        "NPURunConfig(iterations_per_loop=args.loop_steps)",
        "100?",
    ),
    "argparse converts text": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default='100', type=int)\n"
        "NPURunConfig(iterations_per_loop=p.parse_args().n)",
        "100?",
    ),
    "argparse dest": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--steps', dest='n', default=100)\n"
        "args, _ = p.parse_known_args()\nNPURunConfig(iterations_per_loop=args.n)",
        "100?",
    ),
    "argparse set_defaults": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=1)\n"
        "p.set_defaults(n=100)\nargs = p.parse_args()\nNPURunConfig(iterations_per_loop=args.n)",
        "100?",
    ),
    "argparse required": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=1, required=True)\n"
        "args = p.parse_args()\nNPURunConfig(iterations_per_loop=args.n)",
        UNKNOWN,
    ),
    "argparse positional": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\n"
        "args = p.parse_args()\nNPURunConfig(iterations_per_loop=args.n)",
        UNKNOWN,
    ),
    "argparse flag": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', action='store_true')\n"
        "args = p.parse_args()\nNPURunConfig(iterations_per_loop=args.n)",
        "False?",
    ),
    "argparse group": (
        "import argparse\np = argparse.ArgumentParser()\ng = p.add_argument_group('x')\n"
        "g.add_argument('--n', default=100)\nargs = p.parse_args()\nNPURunConfig(iterations_per_loop=args.n)",
        "100?",
    ),
    "argparse parameter": (
        "import argparse\ndef options():\n  p = argparse.ArgumentParser()\n"
        "  p.add_argument('--n', default=100)\n  return p.parse_args()\n"
        "def main(args):\n  NPURunConfig(iterations_per_loop=args.n)\nmain(options())",
        "100?",
    ),
    "argparse vars": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=100)\n"
        "args = p.parse_args()\nNPURunConfig(iterations_per_loop=vars(args)['n'])",
        "100?",
    ),
    "argparse global": (
        "import argparse\nFLAGS = None\ndef main():\n  NPURunConfig(iterations_per_loop=FLAGS.n)\n"
        "if __name__ == '__main__':\n  p = argparse.ArgumentParser()\n  p.add_argument('--n', default=100)\n"
        "  FLAGS, unparsed = p.parse_known_args()\n  main()",
        "100?",
    ),
    "argparse set": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=100)\n"
        "args = p.parse_args()\nargs.n = 5\nNPURunConfig(iterations_per_loop=args.n)",
        UNKNOWN,
    ),
    "a field of a mixin that its only user overrides": (
        "class A:\n  n = 10\n  def go(self):\n    NPURunConfig(iterations_per_loop=self.n)\n"
        "class B(A):\n  n = 20\nB().go()",
        "20",
    ),
    "a field that a subclass overrides, beside instances of the class itself": (
        "class A:\n  n = 10\n  def go(self):\n    NPURunConfig(iterations_per_loop=self.n)\n"
        "class B(A):\n  n = 20\nfor one in (A(), B()):\n  one.go()",
        UNKNOWN,
    ),
    "a field that a subclass overrides, of whose instances nothing is seen": (
        "class A:\n  n = 10\n  def go(self):\n    NPURunConfig(iterations_per_loop=self.n)\n"
        "class B(A):\n  n = 20\nmake(B).go()",
        UNKNOWN,
    ),
    "a name that means something else later": (
        "config = {'n': 100}\nn = config['n']\nconfig = open('a')\nNPURunConfig(iterations_per_loop=n)",
        "100",
    ),
    "a parameter that means something else later": (
        "def make(config):\n  run = NPURunConfig(iterations_per_loop=config['n'])\n  config = run\n"
        "  return config\nmake({'n': 100})",
        "100",
    ),
    "a name that may mean something else in a loop": (
        "config = {'n': 100}\nfor turn in range(2):\n  NPURunConfig(iterations_per_loop=config['n'])\n"
        "  config = read()",
        UNKNOWN,
    ),
    "argparse, an attribute of the script's own": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=100)\n"
        "args = p.parse_args()\nargs.k = args.n * 2\nNPURunConfig(iterations_per_loop=args.k)",
        "200?",
    ),
    "argparse, an attribute of the script's own in an object": (
        "import argparse\nclass T:\n  def __init__(self, args):\n    self.args = args\n"
        "  def go(self):\n    NPURunConfig(iterations_per_loop=self.args.k)\n"
        "args = argparse.ArgumentParser().parse_args()\nargs.k = 5\nT(args).go()",
        "5",
    ),
    "argparse, an own attribute that is stored twice": (
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\nargs.k = 5\nargs.k = 6\n"
        "NPURunConfig(iterations_per_loop=args.k)",
        UNKNOWN,
    ),
    "argparse, an own attribute beside options whose names are computed": (
        "import argparse\np = argparse.ArgumentParser()\n"
        "for one in ('--k', '--n'):\n  p.add_argument(one, type=int)\n"
        "args = p.parse_args()\nargs.k = 5\nNPURunConfig(iterations_per_loop=args.k)",
        UNKNOWN,
    ),
    "argparse, an own attribute and an update of all": (
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\nargs.k = 5\n"
        "vars(args).update(read())\nNPURunConfig(iterations_per_loop=args.k)",
        UNKNOWN,
    ),
    "argparse, two parsers": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=100)\n"
        "q = argparse.ArgumentParser()\nq.add_argument('--n', default=1)\n"
        "args = p.parse_args()\nNPURunConfig(iterations_per_loop=args.n)",
        "100?",
    ),
    "argparse explicit arguments": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=100)\n"
        "args = p.parse_args(['--n', '5'])\nNPURunConfig(iterations_per_loop=args.n)",
        UNKNOWN,
    ),
    "getattr": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=100)\n"
        "args = p.parse_args()\nNPURunConfig(iterations_per_loop=getattr(args, 'n', 1))",
        "100?",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_value(tmp_path: Path, text: str, expected: str) -> None:
    assert known(value_in(tmp_path, text)) == expected
