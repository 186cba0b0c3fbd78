"""Scripts that are legal and that nobody would write: each is found out about as a whole, and fixed once."""

from __future__ import annotations

import pytest

from npu_migrate import check_source, fix_source
from robustness.sprinkling import is_python

HEAD = "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n"
ITERATOR = "x = tf.data.Dataset.range(8).make_one_shot_iterator().get_next()\n"
RUN = "with tf.Session() as sess:\n    print(sess.run(x))\n"
NINES = "9" * 4200

VALUES = {
    "more digits than Python prints": f"NPURunConfig(iterations_per_loop={NINES} * {NINES})\n",
    "more bits than Python prints": f"NPURunConfig(iterations_per_loop=0x{'f' * 20_000})\n",
    "the same below zero": f"init(train_steps=-0x{'f' * 20_000})\n",
    "powers": "NPURunConfig(iterations_per_loop=9**9**9, save_checkpoints_steps=1 << 10**10)\n",
    "sizes": "NPURunConfig(iterations_per_loop='a' * 10**12, save_checkpoints_steps=[0] * 10**10)\n",
    "widths": "NPURunConfig(iterations_per_loop='%999999999d' % 5, save_summary_steps=f'{5:>999999999}')\n",
    "no numbers": "NPURunConfig(iterations_per_loop=float('nan'), save_checkpoints_steps=1e999)\n",
    "errors": "NPURunConfig(iterations_per_loop=1 / 0, save_checkpoints_steps=int('x'))\n",
    "other kinds": "NPURunConfig(iterations_per_loop=1j, save_checkpoints_steps=...)\n",
    "lone surrogates": "tf.flags.DEFINE_string('\\udfff', '\\ud800', '')\n"
    "NPURunConfig(iterations_per_loop='\\ud800')\n",
    "a dictionary made of itself": "d = {'a': 1}\nd = {**d, 'b': 2}\nNPUEstimator(f, **d).train(**d)\n",
    "another one": "d = dict(d)\nd = dict(d, c=1)\nNPURunConfig(**d)\nNPUEstimator(f, **d).train(**d)\n",
    "a third one": "d = dict(**d)\nNPURunConfig(**d)\nNPUEstimator(f, **d).train(**d)\n",
    "itself in itself": "d = [d]\nd.append(d)\nNPUEstimator(f).train(g, hooks=d)\n",
    "code in strings": "exec('x = 1')\nlocals()['x'] = 2\nglobals().update(x=3)\n"
    "NPURunConfig(iterations_per_loop=x)\n",
}
LAYOUTS = {
    "tabs": ITERATOR + RUN.replace("    ", "\t"),
    "form feeds": "\x0c\n" + ITERATOR + RUN.replace("    ", "\x0c    "),
    "other line ends in strings": "t = 'a\x0bb\x1cc\x85d\u2028e'\n" + ITERATOR + RUN,
    "carriage returns": (ITERATOR + RUN).replace("\n", "\r"),
    "all line ends": ITERATOR.replace("\n", "\r\n").replace("(8)", "(\r8\n)") + RUN.replace("\n", "\r", 1),
    "blank lines of both kinds": "\r\r\n" + ITERATOR + "\n\r" + RUN,
    "no line end": (ITERATOR + RUN).rstrip("\n"),
    "one line": f"{ITERATOR.strip()}; sess = tf.Session(); print(sess.run(x));\n",
    "continued lines": ITERATOR.replace(".", "\\\n  .") + RUN,
    "branches on one line": f"if a: {ITERATOR}else: {ITERATOR}{RUN}",
    "many brackets": f"x = {'(' * 90}{ITERATOR[4:].strip()}{')' * 90}\n{RUN}",
    "many blocks": "".join(f"{' ' * depth}if a:\n" for depth in range(95)) + f"{' ' * 95}{ITERATOR}{RUN}",
    "names in other letters": ITERATOR.replace("x =", "变量 =") + RUN.replace("x)", "变量)"),
    "a large table": "T = [\n" + "    'make_one_shot_iterator',\n" * 20_000 + "]\n" + ITERATOR + RUN,
    "a name taken away": f"{ITERATOR}del tf\nimport tensorflow as tf\n{RUN}del x\n",
    "python of two versions": f"try:\n    import a\nexcept ImportError:\n    tf = tf\n{ITERATOR}{RUN}",
}


@pytest.mark.parametrize("name", VALUES)
def test_values_that_nobody_can_use(name: str) -> None:
    text = f"{HEAD}{VALUES[name]}{ITERATOR}{RUN}"
    found = check_source(text)
    assert "NPU101" in {one.code for one in found}
    require_fixed_once(text)


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_that_nobody_wants(name: str) -> None:
    text = f"import tensorflow as tf\n{LAYOUTS[name]}"
    fixed = require_fixed_once(text)
    assert "make_initializable_iterator()" in fixed


def require_fixed_once(text: str) -> str:
    """The text with its fixes. Raises `AssertionError` unless everything is checked and nothing is broken."""
    failed = [one.message for one in check_source(text) if one.code in ("NPU901", "NPU902", "NPU903")]
    assert not failed
    fixed = fix_source(text)
    assert is_python(fixed)
    assert fix_source(fixed) == fixed
    return fixed
