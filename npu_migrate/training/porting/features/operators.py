"""Layers and ops of a model that are others on the NPU: CuDNN's layers, dropout, gelu.

Sources: the defaults of ``tf.keras.layers`` of TensorFlow 1.15 [TF]; CODE:npu_ops.py, CODE:npu_unary_ops.py.
"""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Operation, Subscript, argument
from npu_migrate.index.names import spelled
from npu_migrate.intents import DropItems, Intent, Rename, ReplaceExpression, SetArgument
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.input_functions import runs_apart_from_graph
from npu_migrate.training.porting.entry_code import import_of
from npu_migrate.training.porting.features.found import Found, calls_among, keyword_of, mentions_among
from npu_migrate.training.porting.session_openings import is_none
from npu_migrate.training.porting.spelling import source_text

_CUDNN = {
    "CuDNNLSTM": ("LSTM", (("recurrent_activation", "'sigmoid'"),)),
    "CuDNNGRU": ("GRU", (("reset_after", "True"), ("recurrent_activation", "'sigmoid'"))),
}
_KERAS_LAYERS = ("tensorflow.keras.layers.", "tensorflow.python.keras.layers.")
_CONTRIB = frozenset({"tensorflow.contrib.cudnn_rnn."})
_COMPATIBLE = "CudnnCompatible"
"""So begin the names of the cells that compute the same without CuDNN, on any device [TF]."""
_DROPOUTS = frozenset({"tensorflow.nn.dropout"})
_NPU_OPS = "npu_ops"
_TIGHTER = frozenset({"Mult", "Div", "FloorDiv", "Mod", "Pow"})
"""The operations of two operands that are done before a subtraction."""


class CudnnLayer(NamedTuple):
    """A layer that only a GPU has: its name, and what puts the general one in its place, if that is
    possible.
    """

    ref: Ref
    name: str
    change: tuple[Intent, ...]


@once
def cudnn_layers(project: Project) -> tuple[CudnnLayer, ...]:
    """The layers of CuDNN, in order of file and place."""
    names = frozenset(f"{module}{name}" for module in _KERAS_LAYERS for name in _CUDNN)
    found = [CudnnLayer(one.ref, one.name, _plain_layer(one)) for one in calls_among(project, names)]
    found += [
        CudnnLayer(one.ref, one.name, ())
        for one in (*calls_among(project, _CONTRIB), *mentions_among(project, names | _CONTRIB))
        if not one.name.rpartition(".")[2].startswith(_COMPATIBLE)
    ]
    return tuple(found)


def _plain_layer(one: Found) -> tuple[Intent, ...]:
    call = one.ref.expr
    assert isinstance(call, Call)
    word = one.name.rpartition(".")[2]
    new, arguments = _CUDNN[word]
    if len(call.args) > 1 or any(keyword.name is None for keyword in call.keywords):
        return ()
    if not isinstance(call.func, Attribute) or call.func.attr != word:
        return ()
    return (
        Rename(Place(one.ref.key, call.func.span), word, new),
        *(SetArgument(one.ref.place, name, code) for name, code in arguments),
    )


class Dropout(NamedTuple):
    """A call of ``tf.nn.dropout``, and what puts the NPU's op in its place; nothing where that is no gain."""

    ref: Ref
    change: tuple[Intent, ...]


@once
def dropouts(project: Project) -> tuple[Dropout, ...]:
    """The dropouts that the NPU has an op of its own for."""
    found = (_dropout(project, one.ref) for one in calls_among(project, _DROPOUTS))
    return tuple(one for one in found if one is not None)


def _dropout(project: Project, ref: Ref) -> Dropout | None:
    call = ref.expr
    assert isinstance(call, Call)
    shape = argument(call, "noise_shape", 2)
    if (shape is not None and not is_none(shape)) or len(call.args) > 2:
        return None
    if is_eager(project, ref) or runs_apart_from_graph(project, ref.key, ref.scope):
        return None
    keep = argument(call, "keep_prob", 1)
    rate = keyword_of(call, "rate")
    if any(keyword.name is None for keyword in call.keywords) or (keep is None) == (rate is None):
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    imports = import_of(project, facts, ref.scope, _NPU_OPS)
    if imports is None:
        return None
    intents: list[Intent] = [
        ReplaceExpression(Place(ref.key, call.func.span), f"{_NPU_OPS}.dropout"),
        *imports,
    ]
    if shape is not None:
        dropped = [one for one in call.keywords if one.value is shape]
        if not dropped:
            return None
        intents.append(DropItems(ref.place, (Place(ref.key, shape.span),)))
    if rate is not None:
        code = _kept(project, ref, rate)
        if code is None:
            return None
        keyword = next(one for one in call.keywords if one.value is rate)
        intents.append(ReplaceExpression(Place(ref.key, rate.span), code))
        intents.append(_renamed(ref.key, keyword.span))
    elif keep is None or _says_nothing(call, keep):
        return None
    return Dropout(ref, tuple(intents))


def _says_nothing(call: Call, keep: Expr) -> bool:
    """Whether nothing is dropped, or the second argument may be TensorFlow 2's, which is the rate."""
    if isinstance(keep, Constant) and keep.value == 1:
        return True
    name = spelled(keep) or ""
    return keep in call.args and "keep" not in name and any(word in name for word in ("rate", "drop"))


def _renamed(key: str, span: tuple[int, int, int, int]) -> Intent:
    return Rename(Place(key, span), "rate", "keep_prob")


def _kept(project: Project, ref: Ref, rate: Expr) -> str | None:
    """The probability to keep a value, where `rate` is that to drop it; None where there is nothing
    to drop.
    """
    if isinstance(rate, Constant):
        if not isinstance(rate.value, (int, float)) or rate.value == 0:
            return None
        return repr(round(1.0 - rate.value, 12))
    inner = _subtracted_from_one(rate)
    text = source_text(project, ref._replace(expr=rate if inner is None else inner))
    if text is None:
        return None
    if inner is not None:
        return text
    return f"1.0 - {text}" if _binds_tighter(rate) else f"1.0 - ({text})"


def _binds_tighter(expr: Expr) -> bool:
    """Whether an expression can stand behind a minus without brackets."""
    if isinstance(expr, Operation):
        return expr.operator in _TIGHTER
    return isinstance(expr, Call | Subscript) or spelled(expr) is not None


def _subtracted_from_one(expr: Expr) -> Expr | None:
    """``e`` of ``1 - e`` and ``1.0 - e``."""
    if not isinstance(expr, Operation) or expr.operator != "Sub":
        return None
    first, second = expr.operands
    return second if isinstance(first, Constant) and first.value == 1 else None
