"""Where values come from and where they go."""

from __future__ import annotations

from pathlib import Path

import pytest
from probed import first_argument, project_of, text_of, the_call

from npu_migrate.index.facts import Call, Name
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.returns import is_generator
from npu_migrate.semantics.flow import (
    attribute_stores,
    call_sites,
    call_targets,
    externals_called,
    instance_classes,
    origins,
)
from npu_migrate.semantics.resolution import Definition, scope_of
from npu_migrate.semantics.uses import uses


def definition(project: Project, path: Path, name: str) -> Definition:
    facts = project.facts(path.as_posix())
    assert facts is not None
    (found,) = [scope.id for scope in facts.scopes if scope.name == name]
    return Definition(facts.key, found)


# -- backwards -----------------------------------------------------------------------------------------

ORIGINS = {
    "a call": ("x = make()\nuse(x)", ["make()"]),
    "through names": ("x = make()\ny = x\nuse(y)", ["make()"]),
    "all assignments": ("x = make()\nx = other()\nuse(x)", ["make()", "other()"]),
    "unpacked": ("(a, b), c = (1, two()), 3\nuse(b)", ["two()"]),
    "unpacked behind a star": ("*a, b = 1, 2, two()\nuse(b)", ["two()"]),
    "unpacked between stars": ("*a, b = *items, one(), two()\nuse(b)", ["two()"]),
    "unpacked beside a star of unknown length": ("a, b = *items, two()\nuse(b)", ["*items, two()[1]"]),
    "unpacked, the rest": ("*a, b = one(), two()\nuse(a)", ["a"]),
    "unpacked to a field behind a star": (
        "class C:\n  def a(self):\n    *self.y, self.x = 1, 2, make()\n  def b(self):\n    use(self.x)",
        ["make()"],
    ),
    "scope of what a comprehension goes through": (
        "b = one()\nk = lambda b: [use(v) for v in (b, two())]\nk(three())",
        ["three()", "two()"],
    ),
    "unpacked result": ("a, b = pair()\nuse(b)", ["pair()[1]"]),
    "unpacked result of ours": ("def pair():\n  return 1, two()\na, b = pair()\nuse(b)", ["two()"]),
    "conditional": ("use(make() if y else other())", ["make()", "other()"]),
    "or": ("use(y or make())", ["y", "make()"]),
    "with": ("with make() as x:\n  use(x)", ["make()"]),
    "parameter": ("def f(a, x):\n  use(x)\nf(1, make())", ["make()"]),
    "parameter, by keyword": ("def f(a, x):\n  use(x)\nf(x=make(), a=1)", ["make()"]),
    "parameter, default": ("def f(x=3):\n  use(x)\nf()", ["3"]),
    "parameter, perhaps behind a star": ("def f(x=3):\n  use(x)\nf(*items)", ["x"]),
    "parameter, perhaps behind two stars": ("def f(x=3):\n  use(x)\nf(**options)", ["x"]),
    "parameter before the star": ("def f(x, y=3):\n  use(x)\nf(make(), *items)", ["make()"]),
    "parameter by keyword only, beside a star": ("def f(*y, x=3):\n  use(x)\nf(*items)", ["3"]),
    "parameter that a dictionary lacks": ("def f(y, x=3):\n  use(x)\nf(**{'y': 1})", ["3"]),
    "default of a lambda in a function": (
        "def f():\n  v = make()\n  return lambda x=v: use(x)\nf()()",
        ["x"],
    ),
    "parameter, all calls": ("def f(x):\n  use(x)\nf(one())\nf(two())", ["one()", "two()"]),
    "parameter, no call": ("def f(x):\n  use(x)", ["x"]),
    "parameter of a lambda": ("f = lambda x: use(x)\nf(make())", ["make()"]),
    "returned": ("def f():\n  return make()\nuse(f())", ["make()"]),
    "returned by a lambda": ("f = lambda: make()\nuse(f())", ["make()"]),
    "yielded": ("def f():\n  yield 1\n  return make()\nuse(f())", ["f()"]),
    "decorated": ("@wrap\ndef f():\n  return make()\nuse(f())", ["f()"]),
    "self": (
        "class C:\n  def a(self):\n    self.x = make()\n  def b(self):\n    use(self.x)",
        ["make()"],
    ),
    "self of a base class": (
        "class B:\n  def a(self):\n    self.x = make()\nclass C(B):\n  def b(self):\n    use(self.x)",
        ["make()"],
    ),
    "class level": ("class C:\n  x = make()\nuse(C().x)", ["make()"]),
    "instance attribute": (
        "class C:\n  def __init__(self):\n    self.x = make()\nc = C()\nuse(c.x)",
        ["make()"],
    ),
    "method": ("class C:\n  def f(self):\n    return make()\nuse(C().f())", ["make()"]),
    "static method": (
        "class C:\n  @staticmethod\n  def f():\n    return make()\nuse(C.f())",
        ["make()"],
    ),
    "closure": ("def f():\n  x = make()\n  def g():\n    use(x)\n  g()\nf()", ["make()"]),
    "global": ("x = None\ndef f():\n  global x\n  x = make()\ndef g():\n  use(x)", ["None", "make()"]),
    "of itself": ("x = x\nuse(x)", []),
    "recursion": ("def f():\n  return f()\nuse(f())", []),
    "walrus": ("if (x := make()):\n  use(x)", ["make()"]),
    "loop over a literal": ("for x in (one(), two()):\n  use(x)", ["one()", "two()"]),
    "loop": ("for x in make():\n  use(x)", ["x"]),
    "unknown": ("use(x)", ["x"]),
}


@pytest.mark.parametrize(("text", "expected"), ORIGINS.values(), ids=ORIGINS.keys())
def test_origins(tmp_path: Path, text: str, expected: list[str]) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n"})
    found = origins(project, first_argument(the_call(project, "use")))
    assert sorted(text_of(project, ref) for ref in found) == sorted(expected)


IMPORTS = {
    "a name": "from lib import x\nuse(x)",
    "a name under another": "from lib import x as y\nuse(y)",
    "an attribute of the module": "import lib\nuse(lib.x)",
    "a function": "from lib import f\nuse(f())",
    "a star": "from lib import *\nuse(f())",
    "a submodule": "from package import inner\nuse(inner.x)",
    "a relative import": "import package.user",
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS.keys())
def test_origins_across_files(tmp_path: Path, text: str) -> None:
    files = {
        "train.py": text + "\n",
        "lib.py": "x = make()\ndef f():\n  return x\n",
        "package/__init__.py": "",
        "package/inner.py": "from lib import x\n",
    }
    if "user" in text:
        files["package/user.py"] = "from .inner import x\nuse(x)\n"
    project = project_of(tmp_path, files)
    found = origins(project, first_argument(the_call(project, "use")))
    assert [text_of(project, ref) for ref in found] == ["make()"]


# -- forwards ------------------------------------------------------------------------------------------

USES = {
    "an argument": ("x = make()\nuse(x)", [("argument", "use(x)", "0")]),
    "a keyword": ("x = make()\nuse(y=x)", [("argument", "use(y=x)", "y")]),
    "an attribute": ("x = make()\nx.name", [("attribute", "x.name", "name")]),
    "called": ("x = make()\nx()", [("call", "x()", "")]),
    "through a function": ("def f(a):\n  use(a)\nf(make())", [("argument", "use(a)", "0")]),
    "through a method": (
        "class C:\n  def f(self, a):\n    use(a)\nC().f(make())",
        [("argument", "use(a)", "0")],
    ),
    "returned to the caller": ("def f():\n  return make()\nuse(f())", [("argument", "use(f())", "0")]),
    "returned to nobody": ("def f():\n  return make()", [("returned", "make()", "")]),
    "in a tuple and out before a star": ("b, *a = make(), 1\nuse(b)", [("argument", "use(b)", "0")]),
    "in a tuple and out behind a star": ("*a, b = 1, make()\nuse(a)", [("unpacked", "1, make()[1]", "")]),
    "in a tuple behind a star and out": ("a, b = *c, make()\nuse(b)", [("argument", "use(b)", "0")]),
    "in a tuple between stars": ("a, b = *c, make(), *d\nuse(b)", [("contained", "*c, make(), *d", "")]),
    "in a tuple and out": ("a, b = 1, make()\nuse(b)\nother(a)", [("argument", "use(b)", "0")]),
    "through self": (
        "class C:\n  def a(self):\n    self.x = make()\n  def b(self):\n    use(self.x)",
        [("argument", "use(self.x)", "0")],
    ),
    "on an instance": (
        "class C:\n  def __init__(self):\n    self.x = make()\nc = C()\nuse(c.x)",
        [("argument", "use(c.x)", "0")],
    ),
    "in a list": ("x = [make()]", [("contained", "[make()]", "")]),
    "into a dictionary": ("d = {}\nd['k'] = make()", [("stored", "make()", "")]),
    "chosen": ("use(make() if y else z)", [("argument", "use(make() if y else z)", "0")]),
    "tested": ("x = make()\nif x:\n  pass", [("tested", "x", "")]),
    "compared": ("x = make()\ny = x is None", [("tested", "x is None", "")]),
    "iterated": ("x = make()\nfor i in x:\n  pass", [("iterated", "x", "")]),
    "given on by with": ("with make() as x:\n  use(x)", [("argument", "use(x)", "0")]),
    "dropped": ("make()", []),
    "another variable of that name": ("x = make()\ndef f(x):\n  use(x)", []),
}


@pytest.mark.parametrize(("text", "expected"), USES.values(), ids=USES.keys())
def test_uses(tmp_path: Path, text: str, expected: list[tuple[str, str, str]]) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n"})
    found = uses(project, the_call(project, "make"))
    assert [(use.kind, text_of(project, use.ref), use.name) for use in found] == expected


@pytest.mark.parametrize("text", ["from lib import x\nuse(x)", "import lib\nuse(lib.x)"])
def test_uses_across_files(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n", "lib.py": "x = make()\n"})
    assert [use.kind for use in uses(project, the_call(project, "make"))] == ["argument"]


# -- calls ---------------------------------------------------------------------------------------------

CALLS = {
    "plain": "def f():\n  pass\nf()\n",
    "another name": "def f():\n  pass\ng = f\ng()\n",
    "method": "class C:\n  def f(self):\n    pass\nc = C()\nc.f()\n",
    "own method": "class C:\n  def f(self):\n    pass\n  def g(self):\n    self.f()\n",
    "inherited method": "class B:\n  def f(self):\n    pass\nclass C(B):\n  pass\nC().f()\n",
    "super": "class B:\n  def f(self):\n    pass\nclass C(B):\n  def g(self):\n    super().f()\n",
    "class method": "class C:\n  @classmethod\n  def f(cls):\n    pass\nC.f()\n",
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_calls_of_a_function(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": text})
    target = definition(project, tmp_path / "train.py", "f")
    (site,) = call_sites(project, target)
    assert target in call_targets(project, site)


def test_calls_of_a_constructor(tmp_path: Path) -> None:
    text = """\
        class B:
            def __init__(self, n):
                self.n = n
        class C(B):
            def __init__(self):
                super().__init__(3)
        B(1)
        C()
        """
    project = project_of(tmp_path, {"train.py": text})
    facts = project.facts((tmp_path / "train.py").as_posix())
    assert facts is not None
    base = next(s.id for s in facts.scopes if s.name == "__init__")
    found = call_sites(project, Definition(facts.key, base))
    assert sorted(text_of(project, ref) for ref in found) == ["B(1)", "super().__init__(3)"]


def test_a_method_of_another_class_is_not_called(tmp_path: Path) -> None:
    text = "class B:\n  def f(self):\n    pass\nclass C:\n  def g(self):\n    pass\nC().f()\nx.f()\n"
    project = project_of(tmp_path, {"train.py": text})
    assert call_sites(project, definition(project, tmp_path / "train.py", "f")) == ()


def test_stores_of_an_attribute(tmp_path: Path) -> None:
    text = """\
        class B:
            x = 0
            def a(self):
                self.x = 1
        class C(B):
            def b(this):
                this.x, y = 2, 3
            def c(self, other):
                other.x = 4
        """
    project = project_of(tmp_path, {"train.py": text})
    owner = definition(project, tmp_path / "train.py", "C")
    found = attribute_stores(project, [owner], "x")
    assert sorted(text_of(project, ref) for ref in found) == ["0", "1", "2, 3[0]"]


def test_instances(tmp_path: Path) -> None:
    project = project_of(
        tmp_path, {"train.py": "class C:\n  pass\ndef f():\n  return C()\nx = f()\nuse(x)\n"}
    )
    (owner,) = instance_classes(project, first_argument(the_call(project, "use")))
    assert scope_of(project, owner).name == "C"


def test_generators(tmp_path: Path) -> None:
    text = "def f():\n  x = yield\ndef g():\n  return [i for i in f()]\n"
    project = project_of(tmp_path, {"train.py": text})
    path = tmp_path / "train.py"
    assert is_generator(project, definition(project, path, "f"))
    assert not is_generator(project, definition(project, path, "g"))


EXTERNALS = {
    "imported": ("import tensorflow as tf\ntf.Session()", "tensorflow.Session"),
    "compat": ("import tensorflow.compat.v1 as tf\ntf.Session()", "tensorflow.Session"),
    "alias": ("import tensorflow as tf\nS = tf.Session\nS()", "tensorflow.Session"),
    "method": (
        "import tensorflow as tf\nsv = tf.train.Supervisor()\nsv.managed_session()",
        "tensorflow.train.Supervisor.managed_session",
    ),
    "star": ("from npu_bridge.npu_init import *\nNPURunConfig()", "npu_bridge.NPURunConfig"),
    "either": (
        "try:\n  import tensorflow.compat.v1 as tf\nexcept E:\n  import tensorflow as tf\ntf.Session()",
        "tensorflow.Session",
    ),
}


@pytest.mark.parametrize(("text", "expected"), EXTERNALS.values(), ids=EXTERNALS.keys())
def test_what_is_called_outside(tmp_path: Path, text: str, expected: str) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n"})
    facts = project.facts((tmp_path / "train.py").as_posix())
    assert facts is not None
    site = facts.calls[-1]
    assert externals_called(project, Ref(facts.key, site.scope, site.statement, site.call)) == {expected}


def test_expressions_of_names_are_told_apart_by_place(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"train.py": "x = make()\nuse(x, x)\n"})
    call = the_call(project, "use").expr
    assert isinstance(call, Call)
    first, second = call.args
    assert isinstance(first, Name)
    assert first != second


def test_modules_that_hand_a_variable_on_in_a_circle_give_it_no_value(tmp_path: Path) -> None:
    files = {"a.py": "from b import x\n", "b.py": "from a import x\n", "main.py": "from a import x\nuse(x)\n"}
    project = project_of(tmp_path, files)
    argument = first_argument(the_call(project, "use"))
    assert origins(project, argument) == (argument,)


def test_a_variable_that_a_circle_of_modules_hands_on_keeps_its_value(tmp_path: Path) -> None:
    files = {
        "a.py": "from b import x\nx = 3\n",
        "b.py": "from a import x\n",
        "main.py": "from b import x\nuse(x)\n",
    }
    project = project_of(tmp_path, files)
    found = origins(project, first_argument(the_call(project, "use")))
    assert [text_of(project, ref) for ref in found] == ["3"]
