"""How the pipeline gets from where it is built to where the model is.

``MAKE`` stands for the statements that bind ``iterator`` from ``numbers``, ``TAKE`` for the next element.
`use` is the expression for the tensor that the model reads, with ``NUMBERS`` for the data; `module` is the
text of ``data.py``, if any.
"""

from __future__ import annotations

from typing import NamedTuple


class Travel(NamedTuple):
    definitions: str
    use: str
    module: str = ""


INPUTS = """
def inputs(numbers):
    MAKE
    return TAKE
"""

TRAVELS = {
    "return": Travel(INPUTS, "inputs(NUMBERS)"),
    "argument": Travel(
        """
def element_of(iterator):
    return TAKE


def iterator_of(numbers):
    MAKE
    return iterator
""",
        "element_of(iterator_of(NUMBERS))",
    ),
    "attribute": Travel(
        """
class Data(object):
    def __init__(self, numbers):
        MAKE
        self.iterator = iterator
        self.build()

    def build(self):
        iterator = self.iterator
        self.batch = TAKE
""",
        "Data(NUMBERS).batch",
    ),
    "closure": Travel(
        """
def inputs_of(numbers):
    MAKE

    def inputs():
        return TAKE

    return inputs
""",
        "inputs_of(NUMBERS)()",
    ),
    "dict": Travel(
        """
def pipeline(numbers):
    MAKE
    return {"iterator": iterator, "batch": TAKE}
""",
        'pipeline(NUMBERS)["batch"]',
    ),
    "registry": Travel(
        """
READERS = {}


def register(name):
    def keep(function):
        READERS[name] = function
        return function

    return keep


@register("numbers")
def inputs(numbers):
    MAKE
    return TAKE


@register("zeros")
def zeros(numbers):
    return tf.zeros([])
""",
        'READERS["numbers"](NUMBERS)',
    ),
    "partial": Travel("import functools\n" + INPUTS, "functools.partial(inputs, NUMBERS)()"),
    "generator": Travel(
        """
def batches(numbers):
    MAKE
    yield TAKE
""",
        "next(batches(NUMBERS))",
    ),
    "property": Travel(
        """
class Data(object):
    def __init__(self, numbers):
        self.numbers = numbers
        self._batch = None

    @property
    def batch(self):
        if self._batch is None:
            numbers = self.numbers
            MAKE
            self._batch = TAKE
        return self._batch
""",
        "Data(NUMBERS).batch",
    ),
    "__call__": Travel(
        """
class Inputs(object):
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, numbers):
        MAKE
        return self.scale * TAKE
""",
        "Inputs(1.0)(NUMBERS)",
    ),
    "other module": Travel("import data\n", "data.inputs(NUMBERS)", module=INPUTS),
    "star import": Travel("from data import *\n", "inputs(NUMBERS)", module=INPUTS),
    "factory": Travel(
        INPUTS
        + """

def batch_of(make, numbers):
    return make(numbers)
""",
        "batch_of(inputs, NUMBERS)",
    ),
    "subclass": Travel(
        """
class Reader(object):
    def batch(self):
        return self.read(self.numbers())

    def numbers(self):
        raise NotImplementedError

    def read(self, numbers):
        MAKE
        return TAKE


class Numbers(Reader):
    def __init__(self, numbers):
        self._numbers = numbers

    def numbers(self):
        return self._numbers
""",
        "Numbers(NUMBERS).batch()",
    ),
    "wrapped": Travel(
        """
import functools


def in_scope(function):
    @functools.wraps(function)
    def scoped(*args, **kwargs):
        with tf.name_scope(function.__name__):
            return function(*args, **kwargs)

    return scoped


@in_scope
def inputs(numbers):
    MAKE
    return TAKE
""",
        "inputs(NUMBERS)",
    ),
    "getattr": Travel(
        """
class Data(object):
    def train_batch(self, numbers):
        MAKE
        return TAKE

    def zeros_batch(self, numbers):
        return tf.zeros([])
""",
        'getattr(Data(), "%s_batch" % "train")(NUMBERS)',
    ),
    "class in a dict": Travel(
        """
class Data(object):
    def __init__(self, numbers):
        MAKE
        self.batch = TAKE


DATA = {"numbers": Data}
""",
        'DATA["numbers"](NUMBERS).batch',
    ),
    "lambda": Travel(INPUTS + "\n\nread = lambda numbers: inputs(numbers)\n", "read(NUMBERS)"),
    "kept function": Travel(
        INPUTS
        + """

class Reader(object):
    def __init__(self, make):
        self.make = make

    def batch(self, numbers):
        return self.make(numbers)
""",
        "Reader(inputs).batch(NUMBERS)",
    ),
    "keywords": Travel(
        INPUTS
        + """

def configured(make=None, **options):
    return make(**options)
""",
        "configured(make=inputs, numbers=NUMBERS)",
    ),
    "list of functions": Travel(
        INPUTS,
        "[make(NUMBERS) for make in [inputs]][0]",
    ),
    "nested": Travel(
        """
def batch_of(numbers):
    def iterator_of():
        MAKE
        return iterator

    def element_of(iterator):
        return TAKE

    return element_of(iterator_of())
""",
        "batch_of(NUMBERS)",
    ),
}
