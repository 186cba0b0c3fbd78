"""Where values come from, with the calls, keys and parts on the way; and what they are made from."""

from __future__ import annotations

from pathlib import Path

import pytest
from probed import first_argument, project_of, text_of, the_call

from npu_migrate.project.project import Project
from npu_migrate.semantics.calls.function_values import functions_of
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.semantics.dependence import dependences, nothing_more


def said(project: Project, end: Traced) -> str:
    """The text of an expression with the keys into it: ``net()[0]``, ``net()[1:None]``."""
    keys = ("".join(f"[{key[0]}:{key[1]}]" if isinstance(key, tuple) else f"[{key}]") for key in end.keys)
    return text_of(project, end.ref) + "".join(keys)


THREE = "ops = (f(), g(), h())\n"
SISTERS = "class B:\n  def __init__(self, a):\n    self.a = a\n"
ANEW = "class C:\n  def __init__(self, a):\n    self.a = a\n  def j(self):\n    use(self.a)\n  def k(self):\n"
ENDS = {
    "an index": (THREE + "use(ops[1])", ["g()"]),
    "an index that is not known": (THREE + "use(ops[i])", ["f()", "g()", "h()"]),
    "an index into a slice": (THREE + "rest = ops[1:]\nuse(rest[0])", ["g()"]),
    "an index into a slice from the end": (THREE + "rest = ops[-2:]\nuse(rest[1])", ["h()"]),
    "an index into a slice that ends early": (THREE + "rest = ops[:2]\nuse(rest[1])", ["g()"]),
    "an index into a slice of which the start is not known": (
        THREE + "rest = ops[i:]\nuse(rest[0])",
        ["f()", "g()", "h()"],
    ),
    "an index into a slice with a step": (THREE + "use(ops[::2][1])", ["f()", "g()", "h()"]),
    "an index into a slice of a slice": (THREE + "use(ops[1:][1:][0])", ["h()"]),
    "an index into a copy": (THREE + "use(ops[:][2])", ["h()"]),
    "a slice": (THREE + "use(ops[1:])", ["(f(), g(), h())[1:None]"]),
    "a slice in a circle": (THREE + "while c:\n  ops = ops[1:]\nuse(ops[0])", ["f()", "g()", "h()"]),
    "items of a slice": (THREE + "for one in ops[1:]:\n  use(one)", ["f()", "g()", "h()"]),
    "unpacked out of a slice": (THREE + "a, b = ops[1:]\nuse(b)", ["h()"]),
    "unpacked out of a slice of what is outside": ("a, b = net()[1:]\nuse(b)", ["net()[2]"]),
    "behind a star": ("*_, a, b = f(), g(), h()\nuse(a)", ["g()"]),
    "behind a star, of what is outside": ("*_, a = net()\nuse(a)", ["net()[-1]"]),
    "before a star": ("a, *_ = f(), g(), h()\nuse(a)", ["f()"]),
    "the rest": ("_, *a = f(), g(), h()\nuse(a)", ["f(), g(), h()[1:None]"]),
    "an item of the rest": ("_, *a, _ = f(), g(), h(), i()\nuse(a[1])", ["h()"]),
    "an item of the rest, from its end": ("_, *a, b = f(), g(), h(), i()\n_, *_, c = a\nuse(c)", ["h()"]),
    "a star in a loop": ("for *_, a in [(f(), g()), (h(), i())]:\n  use(a)", ["g()", "i()"]),
    "a star in a comprehension": ("[use(a) for *_, a in [(f(), g())]]", ["g()"]),
    "a star that names a field": (
        "class C:\n  def __init__(self):\n    *self.a, self.b = f(), h()\n  def k(self):\n    use(self.b)",
        ["h()"],
    ),
    "a star that a field stands behind": (
        "class C:\n  def j(self):\n    self.b, *self.a = f(), g(), h()\n  def k(self):\n    use(self.a[1])",
        ["h()"],
    ),
    "more in the list of a field": (
        "class C:\n  def __init__(self):\n    self.a = [f()]\n    self.a += [g()]\n  def k(self):\n"
        "    use(self.a[0])",
        ["f()", "g()"],
    ),
    "a field in a loop": (
        "class C:\n  def k(self):\n    for self.a in [f(), g()]:\n      use(self.a)",
        ["f()", "g()"],
    ),
    "an item beside a star": ("x = (f(), *net(), g())\na, *b = x\nuse(a)", ["f()"]),
    "an item behind a star of the value": ("x = (f(), *net(), g())\n*a, b = x\nuse(b)", ["g()"]),
    "an item in a star of the value": ("x = (f(), *net())\na, b = x\nuse(b)", ["f()", "net()[*]"]),
    "a parameter behind a star": ("def k(a, b):\n  use(b)\nk(*(f(), g()))", ["g()"]),
    "a parameter beside a star": ("def k(a, b):\n  use(b)\nk(f(), *[g()])", ["g()"]),
    "a default that a star may replace": ("def k(a, b=f()):\n  use(b)\nk(*net())", ["f()", "net()[1]"]),
    "a default that two stars may replace": ("def k(a=f()):\n  use(a)\nk(**net())", ["f()", "net()[a]"]),
    "a default that two stars do not replace": ("def k(a=f(), b=g()):\n  use(a)\nk(**{'b': h()})", ["f()"]),
    "a default of a lambda": ("[(k := lambda a=v: use(a), k()) for v in (f(), g())]", ["f()", "g()"]),
    "a comprehension in a lambda": (
        "b = f()\nk = lambda b: [use(v) for v in (b, g())]\nk(h())",
        ["h()", "g()"],
    ),
    "a comprehension over a variable of its name": ("x = [f()]\n[use(x) for x in x]", ["f()"]),
    "two loops of a comprehension": ("[use(b) for a in [[f()], [g()]] for b in a]", ["f()", "g()"]),
    "more in a list": ("x = [f()]\nx += [g()]\nuse(x[1:])", ["[f()][1:None]", "[g()]"]),
    "an item of zip": ("for a, (b, c) in zip([f()], [(g(), h())]):\n  use(c)", ["h()"]),
    "an item of a zip that is made a list": ("use(list(zip([f(), g()], [h(), i()]))[1][0])", ["g()"]),
    "the last item of zip": ("use(list(zip([f(), g()], [h()]))[-1][0])", ["f()", "g()"]),
    "an item of enumerate": ("for i, a in enumerate([f(), g()]):\n  use(a)", ["f()", "g()"]),
    "the number of enumerate": ("for i, a in enumerate([f()]):\n  use(i)", ["enumerate([f()])[*][0]"]),
    "an item of what is sorted": ("use(sorted([f(), g()])[0])", ["f()", "g()"]),
    "an item of a list of a tuple": ("use(list((f(), g()))[1])", ["g()"]),
    "a value of items": ("for a, b in {'k': f(), 'l': g()}.items():\n  use(b)", ["f()", "g()"]),
    "a key of items": ("d = {'k': f()}\nfor a, b in d.items():\n  use(a)", ["d.items()[*][0]"]),
    "a value of values": ("for a in {'k': f()}.values():\n  use(a)", ["f()"]),
    "a value of six": ("import six\nfor a, b in six.iteritems({'k': f()}):\n  use(b)", ["f()"]),
    "an item of an own zip": ("def zip(a, b):\n  return b\nuse(zip([f()], [g()])[0])", ["g()"]),
    "an item of zip with a star": ("use(list(zip(*net()))[0][0])", ["zip(*net())[0][0]"]),
    "what a sister gives the constructor": (
        SISTERS + "class C(B):\n  def k(self):\n    use(self.a)\nclass D(B):\n  pass\nC(f())\nD(g())",
        ["f()"],
    ),
    "what a daughter gives the constructor": (
        SISTERS + "class C(B):\n  def k(self):\n    use(self.a)\nclass D(C):\n  pass\nC(f())\nD(g())",
        ["f()", "g()"],
    ),
    "what a base gets from all": (
        SISTERS + "  def k(self):\n    use(self.a)\nclass C(B):\n  pass\nclass D(B):\n  pass\nC(f())\nD(g())",
        ["f()", "g()"],
    ),
    "what a sister hands on to the base": (
        SISTERS
        + "class C(B):\n  def __init__(self, a):\n    super().__init__(a)\n  def k(self):\n    use(self.a)\n"
        "class D(B):\n  def __init__(self, a):\n    B.__init__(self, a)\nC(f())\nD(g())",
        ["f()"],
    ),
    "what sisters hand on through a class between": (
        SISTERS + "class M(B):\n  def __init__(self, a):\n    super().__init__(a)\n"
        "class C(M):\n  def __init__(self, a):\n    super().__init__(a)\n  def k(self):\n    use(self.a)\n"
        "class D(M):\n  def __init__(self, a):\n    super().__init__(a)\nC(f())\nD(g())",
        ["f()"],
    ),
    "what a mixin's object gets": (
        SISTERS + "class M:\n  def k(self):\n    use(self.a)\nclass C(M, B):\n  pass\nclass D(B):\n  pass\n"
        "C(f())\nD(g())",
        ["self.a"],
    ),
    "what a class method makes": (
        SISTERS + "  @classmethod\n  def m(cls):\n    return cls(g())\n"
        "class C(B):\n  def k(self):\n    use(self.a)\nC(f())\nC.m()",
        ["f()", "g()"],
    ),
    "what an object gets from one of a sister that makes it": (
        SISTERS + "class C(B):\n  def __init__(self, b):\n    super().__init__(b.a)\n"
        "  def k(self):\n    use(self.a)\nclass D(B):\n  def m(self):\n    C(self).k()\nD(f()).m()",
        ["f()"],
    ),
    "what a mixin hands past is not a sister's": (
        SISTERS + "class M:\n  def __init__(self, *a):\n    super().__init__(*a)\n"
        "class C(M, B):\n  def k(self):\n    use(self.a)\nclass D(B):\n  pass\nC(f())\nD(g())",
        ["a"],
    ),
    "a field of an object of a sister": (
        SISTERS + "class C(B):\n  pass\nclass D(B):\n  pass\nc = C(f())\nd = D(g())\nuse(c.a)",
        ["f()"],
    ),
    "a field that the caller has stored": (ANEW + "    self.a = g()\n    self.j()\nC(f()).k()", ["g()"]),
    "a field that one of two callers has stored": (
        ANEW + "    self.a = g()\n    self.j()\n  def l(self):\n    self.j()\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field that two callers have stored": (
        ANEW + "    self.a = g()\n    self.j()\n  def l(self):\n    self.a = h()\n    self.j()\nC(f()).k()",
        ["f()", "g()", "h()"],
    ),
    "a field that the caller stores afterwards": (
        ANEW + "    self.j()\n    self.a = g()\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field that a caller may have stored": (
        ANEW + "    if c:\n      self.a = g()\n    self.j()\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field of a method that is handed on": (
        ANEW + "    self.a = g()\n    self.j()\n  def l(self):\n    return self.j\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field of a method that others call": (
        ANEW + "    self.a = g()\n    self.j()\nc = C(f())\nc.k()\nc.j()",
        ["f()", "g()"],
    ),
    "a field of a method that a thread calls": (
        "import threading\n" + ANEW.replace("class C", "class C(threading.Thread)") + "    self.a = g()\n"
        "    self.j()\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field of a method that is called by a text": (
        ANEW + "    self.a = g()\n    self.j()\ngetattr(C(f()), 'j')()",
        ["f()", "g()"],
    ),
    "a field of a method that is called by any text": (
        ANEW + "    self.a = g()\n    self.j()\ngetattr(C(f()), n)()",
        ["f()", "g()"],
    ),
    "a field, and texts for other objects": (
        ANEW + "    self.a = g()\n    self.j()\nC(f()).k()\ngetattr(x, n)(getattr(x, 'l'))",
        ["g()"],
    ),
    "a field that a function stores in between": (
        ANEW + "    self.a = g()\n    m(self)\n    self.j()\ndef m(o):\n  o.a = h()\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field that may be set by a text in between": (
        ANEW + "    self.a = g()\n    setattr(self, n, h())\n    self.j()\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field in the dictionary of the object": (
        ANEW + "    self.a = g()\n    self.m()\n    self.j()\n  def m(self):\n    self.__dict__['a'] = h()\n"
        "C(f()).k()",
        ["f()", "g()"],
    ),
    "another field in the dictionary of the object": (
        ANEW + "    self.a = g()\n    self.__dict__['b'] = h()\n    self.j()\nC(f()).k()",
        ["g()"],
    ),
    "a field of an object whose dictionary is compared": (
        ANEW + "    self.a = g()\n    self.j()\n  def __eq__(self, other):\n"
        "    return self.__dict__ == other.__dict__\n"
        "C(f()).k()",
        ["g()"],
    ),
    "a field of an object whose dictionary is changed": (
        ANEW
        + "    self.a = g()\n    self.m()\n    self.j()\n  def m(self):\n    self.__dict__.update(a=h())\n"
        "C(f()).k()",
        ["f()", "g()"],
    ),
    "a field of a class that stores its own way": (
        ANEW + "    self.a = g()\n    self.j()\n  def __setattr__(self, n, v):\n"
        "    object.__setattr__(self, n, w(v))\nC(f()).k()",
        ["f()", "g()"],
    ),
    "a field of a generator, which runs later": (
        ANEW.replace("use(self.a)", "yield use(self.a)")
        + "    self.a = g()\n    i = self.j()\n    self.a = h()\n    next(i)\nC(f()).k()",
        ["f()", "g()", "h()"],
    ),
    "a field that was set by texts before": (
        ANEW.replace("self.a = a", "setattr(self, n, a)\n    self.a = a") + "    self.a = g()\n    self.j()\n"
        "C(f()).k()",
        ["g()"],
    ),
    "a field that the maker of the object stores before": (
        ANEW + "    self.a = g()\n    self.j()\ndef m():\n  c = C(f())\n  c.a = h()\n  c.k()\nm()",
        ["g()"],
    ),
    "a field that is stored from outside, too": (
        "class C:\n  a = None\n  def k(self):\n    use(self.a)\nc = C()\nc.a = f()",
        ["None", "f()"],
    ),
    "a field that the caller's caller has stored": (
        ANEW + "    self.i()\n  def i(self):\n    self.j()\n  def l(self):\n    self.a = g()\n    self.k()\n"
        "C(f()).l()",
        ["g()"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), ENDS.values(), ids=ENDS.keys())
def test_ends(tmp_path: Path, text: str, expected: list[str]) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n"})
    found = ends(project, traced(first_argument(the_call(project, "use"))))
    assert sorted(said(project, end) for end in found) == sorted(expected)


COMPLETE = {
    "a call": "use(f())",
    "a parameter": "def k(a):\n  use(a)\nk(f())",
    "a parameter behind a star": "def k(a):\n  use(a)\nk(*[f()])",
    "a default beside a star": "def k(a, b=f()):\n  use(b)\nk(*[x()])",
    "the rest": "_, *rest = g(), f()\nuse(rest)",
    "in a comprehension": "x = [f()]\n[use(x) for x in x]",
    "in a slice": "x = [g(), f()]\nuse(x[1:])",
    "at the end of a list": "x = [0]\nx[0] = f()\n*_, y = x\nuse(y)",
    "moved by another": "x = [f(), g()]\nx.insert(0, h())\nuse(x[1])",
    "a name of another library besides": "try:\n  from x import y\nexcept ImportError:\n  y = f()\nuse(y)",
    "a name that is deleted": "y = f()\ndef k():\n  use(y)\nk()\ndel y",
    "a function that gives nothing besides": (
        "class A:\n  def k(self):\n    return f()\nclass B:\n  def k(self):\n    raise E\n"
        "use((A() if c else B()).k())"
    ),
    "in a list that is added": "x = [g()]\nx.extend([f(), h()])\nuse(x[1])",
}


@pytest.mark.parametrize("text", COMPLETE.values(), ids=COMPLETE.keys())
def test_all_that_a_value_is_made_from(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n"})
    found = dependences(
        project, [traced(first_argument(the_call(project, "use")))], lambda _: False, nothing_more
    )
    assert "f()" in {text_of(project, way.ref) for way in found.reached}
    assert found.complete


UNKNOWN = {
    "a parameter that nobody gives": "def k(a):\n  use(a)",
    "a parameter that one caller gives": "def k(a):\n  use(a)\nk(f())\nk()",
    "a function besides": "def y():\n  pass\nif c:\n  y = f()\nuse(y)",
    "an exception besides": "y = f()\ntry:\n  g()\nexcept Exception as y:\n  use(y)",
    "an exception": "try:\n  f()\nexcept Exception as e:\n  use(e)",
    "keywords of a caller": "def k(**options):\n  use(options)\nk(a=1)",
    "a list behind a star": "a, *[b, c] = f()\nuse(b)",
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_what_cannot_all_be_seen(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"train.py": text + "\n"})
    start = traced(first_argument(the_call(project, "use")))
    assert not dependences(project, [start], lambda _: False, nothing_more).complete


def test_a_part_has_only_its_items(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"train.py": "loss, *rest = f(), g(), h()\nuse(rest)\n"})
    start = traced(first_argument(the_call(project, "use")))
    found = dependences(project, [start], lambda _: False, nothing_more)
    assert {"g()", "h()"} < {text_of(project, way.ref) for way in found.reached}
    assert "f()" not in {text_of(project, way.ref) for way in found.reached}


FUNCTIONS = {
    "one of two": ("def k(a):\n  use(a)\nrun(partial(k, f()) if c else partial(k, g()))", ["f()", "g()"]),
    "made by a factory": (
        "def k(a):\n  use(a)\ndef m(b):\n  return partial(k, b)\nrun(m(f()) if c else m(g()))",
        ["f()", "g()"],
    ),
    "the same twice": ("def k(a):\n  use(a)\nj = partial(k, f())\nrun(j if c else j)", ["f()"]),
}


@pytest.mark.parametrize(("text", "expected"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_functions_with_what_is_bound(tmp_path: Path, text: str, expected: list[str]) -> None:
    project = project_of(tmp_path, {"train.py": f"from functools import partial\n{text}\n"})
    used = first_argument(the_call(project, "use"))
    found = functions_of(project, traced(first_argument(the_call(project, "run"))))
    seen = [end for one in found for end in ends(project, one.inside._replace(ref=used))]
    assert sorted(said(project, end) for end in seen) == sorted(expected)


def test_a_walk_keeps_what_is_bound_apart(tmp_path: Path) -> None:
    text = "def k(a):\n  return a\nrun([partial(k, f()), partial(k, g())])\n"
    project = project_of(tmp_path, {"train.py": f"from functools import partial\n{text}"})
    items = traced(first_argument(the_call(project, "run")))._replace(keys=("*",))
    inside = [one.inside for one in functions_of(project, items)]
    assert len({one.mark[2:] for one in inside}) == 2
