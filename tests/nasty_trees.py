"""Scripts with a finding that can be fixed, in texts that are easy to get wrong."""

from __future__ import annotations

import json

from fidelity import Tree

PLAIN = """\
# 训练 🚀
import tensorflow as tf

ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 4.0]).repeat()
note = '数据🚀'; it = ds.make_one_shot_iterator()  # é
x = it.get_next()
with tf.Session() as sess:
    print(note, sess.run(x))
"""

SEVERAL = """\
import tensorflow as tf
ds = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).repeat()
a, b = ds.make_one_shot_iterator(), ds.make_one_shot_iterator(); c = ds.make_one_shot_iterator(); d = 0
x, y = a.get_next(), b.get_next(); z = c.get_next()
with tf.Session() as sess: print(sess.run(x), sess.run(y)); print(sess.run(z))
"""

FAR = PLAIN.replace("with tf", "# far away\n" * 40 + "with tf")

BETWEEN = """\
import tensorflow as tf
first = tf.data.Dataset.from_tensor_slices([1.0]).repeat().make_one_shot_iterator()
x = first.get_next()
second = tf.data.Dataset.from_tensor_slices([2.0]).repeat().make_one_shot_iterator()
y = second.get_next()
with tf.Session() as sess:
    print(sess.run(x))
with tf.Session() as sess:
    print(sess.run(y))
"""

FIRST_LINE = """\
import tensorflow as tf; it = tf.data.Dataset.from_tensor_slices([1.0]).repeat().make_one_shot_iterator()
with tf.Session() as sess:
    print(sess.run(it.get_next()))
"""


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# 训练"},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": PLAIN.splitlines(keepends=True),
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}


def in_one_file(text: str) -> Tree:
    return {"train.py": text.encode()}


NASTY: dict[str, Tree] = {
    "plain": in_one_file(PLAIN),
    "crlf": in_one_file(PLAIN.replace("\n", "\r\n")),
    "lone cr": in_one_file(PLAIN.replace("\n", "\r")),
    "mixed newlines": in_one_file(PLAIN.replace("\n", "\r\n", 3).replace("note", "\rnote", 1)),
    "mixed newlines at the finding": in_one_file(PLAIN.replace("get_next()\n", "get_next()\r\n")),
    "lone cr beside the finding": in_one_file(PLAIN.replace("x = it", "y = 0\rx = it")),
    "bom": {"train.py": b"\xef\xbb\xbf" + PLAIN.encode()},
    "bom, change in the first line": {"train.py": b"\xef\xbb\xbf" + FIRST_LINE.encode()},
    "bom and crlf": {"train.py": b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode()},
    "gbk": {"train.py": f"# coding: gbk\n{PLAIN}".replace("🚀", "").replace("é", "").encode("gbk")},
    "latin-1": {
        "train.py": f"# coding: latin-1\n{PLAIN}".replace("训练", "é")
        .replace("数据", "ü")
        .replace("🚀", "")
        .encode("latin-1")
    },
    "latin-1, changes in plain lines": {"train.py": f"# coding: latin-1\n# é\n{SEVERAL}".encode("latin-1")},
    "utf8 by another name": in_one_file(f"# vim: set fileencoding=UTF8 :\n{PLAIN}"),
    "tabs": in_one_file(PLAIN.replace("    ", "\t").replace("; it", ";\tit")),
    "form feed": in_one_file(PLAIN.replace("note", "\fnote", 1).replace("x = it", "\f\nx = it")),
    "line separator": in_one_file(PLAIN.replace("数据", "\u2028\u0085\x1c")),
    "no final newline": in_one_file(PLAIN.rstrip("\n")),
    "no final newline, one-line suite": in_one_file(SEVERAL.rstrip("\n")),
    "no final newline, crlf": in_one_file(SEVERAL.rstrip("\n").replace("\n", "\r\n")),
    "several on one line": in_one_file(SEVERAL),
    "several on one line, crlf": in_one_file(SEVERAL.replace("\n", "\r\n")),
    "far apart": in_one_file(FAR),
    "interleaved": in_one_file(BETWEEN),
    "blank and brackets in the path": {"a b [c]%20#/träin 训.py": PLAIN.encode()},
    "notebook": {"train.ipynb": json.dumps(NOTEBOOK, indent=1, ensure_ascii=False).encode()},
    "notebook in one line": {"train.ipynb": json.dumps(NOTEBOOK).encode() + b"\n"},
    "notebook, crlf": {"train.ipynb": json.dumps(NOTEBOOK, indent=1).replace("\n", "\r\n").encode()},
    "two files": {
        "reader.py": SEVERAL[: SEVERAL.index("with")].encode(),
        "train.py": b"import tensorflow as tf\nfrom reader import x\n"
        b"with tf.Session() as sess:\n    print(sess.run(x))\n",
    },
}
