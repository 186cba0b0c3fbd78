"""Recurrent layers of the device, computed step by step. Time comes first in what they get and return."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

UNIDIRECTIONAL = "UNIDIRECTIONAL"
BIDIRECTIONAL = "BIDIRECTIONAL"

_OUTPUTS = {"lstm": 8, "gru": 6}
"""How many tensors the real layers return; the first is the output of all steps, then come the states."""


class _Recurrent:
    def __init__(self, hidden_size: int, dtype: Any, direction: str, name: str) -> None:
        if direction not in (UNIDIRECTIONAL, BIDIRECTIONAL):
            raise ValueError(f"Invalid direction: {direction}, expecting {UNIDIRECTIONAL} or {BIDIRECTIONAL}")
        self.direction = direction
        self._hidden_size = hidden_size
        self._dtype = dtype
        self._scope = tf.compat.v1.get_default_graph().unique_name(name)

    def _variable(self, name: str, shape: Any, initializer: Any) -> Any:
        with tf.compat.v1.variable_scope(self._scope, reuse=tf.compat.v1.AUTO_REUSE):
            return tf.compat.v1.get_variable(name, shape, self._dtype, initializer)

    def _weights(self, x: Any, gates: int, part: str = "") -> tuple[Any, Any]:
        size = x.shape[-1]
        inputs = int(getattr(size, "value", size)) + self._hidden_size
        width = gates * self._hidden_size
        kernel = self._variable(part + "w", [inputs, width], tf.compat.v1.glorot_uniform_initializer())
        return kernel, self._variable(part + "b", [width], tf.compat.v1.zeros_initializer())

    def _zeros(self, x: Any) -> Any:
        return tf.zeros([tf.shape(x)[1], self._hidden_size], self._dtype)

    def _outputs(self, states: list[Any], count: int) -> list[Any]:
        """As many tensors as the real layer returns: its gates are as large as its output."""
        return [*states, *(tf.zeros_like(states[0]) for _ in range(count - len(states)))]


class DynamicRNN(_Recurrent):
    def __init__(
        self,
        hidden_size: int,
        dtype: Any,
        cell_type: str = "LSTM",
        direction: str = UNIDIRECTIONAL,
        cell_depth: int = 1,
        use_peephole: bool = False,
        keep_prob: float = 1.0,
        cell_clip: float = -1.0,
        num_proj: int = 0,
        time_major: bool = True,
        activation: str = "tanh",
        forget_bias: float = 0.0,
        is_training: bool = True,
    ) -> None:
        super().__init__(hidden_size, dtype, direction, "dynamic_rnn")
        self.forget_bias = forget_bias

    def __call__(
        self,
        x: Any,
        seq_length: Any = None,
        init_h: Any = None,
        init_c: Any = None,
        weight: Any = None,
        bias: Any = None,
    ) -> Any:
        if self.direction == UNIDIRECTIONAL:
            kernel, added = self._weights(x, 4) if weight is None or bias is None else (weight, bias)
            return self._outputs(self._run(x, init_h, init_c, kernel, added), _OUTPUTS["lstm"])
        forward = self._run(x, _of(init_h, 0), _of(init_c, 0), *self._both(x, weight, bias, 0))
        reverse = self._run(
            tf.reverse(x, [0]), _of(init_h, 1), _of(init_c, 1), *self._both(x, weight, bias, 1)
        )
        backward = [tf.reverse(one, [0]) for one in reverse]
        return self._outputs([tf.stack(pair) for pair in zip(forward, backward)], _OUTPUTS["lstm"])

    def _both(self, x: Any, weight: Any, bias: Any, number: int) -> tuple[Any, Any]:
        if weight is None or bias is None:
            return self._weights(x, 4, ("forward_", "reverse_")[number])
        return weight[number], bias[number]

    def _run(self, x: Any, h: Any, c: Any, kernel: Any, bias: Any) -> list[Any]:
        def step(state: Any, now: Any) -> Any:
            h, c = state
            gates = tf.matmul(tf.concat([now, h], 1), kernel) + bias
            i, j, f, o = tf.split(gates, 4, 1)
            c = c * tf.sigmoid(f + self.forget_bias) + tf.sigmoid(i) * tf.tanh(j)
            return tf.sigmoid(o) * tf.tanh(c), c

        first = self._zeros(x) if h is None else tf.reshape(h, [-1, self._hidden_size])
        cell = self._zeros(x) if c is None else tf.reshape(c, [-1, self._hidden_size])
        output, cells = tf.scan(step, x, (first, cell))
        return [output, output, cells]


class DynamicGRUV2(_Recurrent):
    def __init__(
        self,
        hidden_size: int,
        dtype: Any,
        direction: str = UNIDIRECTIONAL,
        cell_depth: int = 1,
        keep_prob: float = 1.0,
        cell_clip: float = -1.0,
        num_proj: int = 0,
        time_major: bool = True,
        activation: str = "tanh",
        gate_order: str = "zrh",
        reset_after: bool = True,
        is_training: bool = True,
    ) -> None:
        super().__init__(hidden_size, dtype, direction, "dynamic_gru")

    def __call__(self, x: Any, seq_length: Any = None, init_h: Any = None) -> Any:
        kernel, bias = self._weights(x, 3)

        def step(h: Any, now: Any) -> Any:
            gates = tf.matmul(tf.concat([now, h], 1), kernel) + bias
            update, reset, new = tf.split(gates, 3, 1)
            kept = tf.sigmoid(update)
            return kept * h + (1.0 - kept) * tf.tanh(tf.sigmoid(reset) * new)

        first = self._zeros(x) if init_h is None else tf.reshape(init_h, [-1, self._hidden_size])
        output = tf.scan(step, x, first)
        return self._outputs([output, output], _OUTPUTS["gru"])


def _of(states: Any, number: int) -> Any:
    return None if states is None else states[number]
