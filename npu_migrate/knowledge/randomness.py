"""Random numbers of a graph: what gives it a seed, and what draws [TF]."""

from __future__ import annotations

SEEDING = ("set_random_seed", "RunConfig", "NPURunConfig")
"""What takes a seed for the whole graph, the first of them as its only argument."""
INITIALIZERS = frozenset({"initializer", "kernel_initializer", "weights_initializer"})
"""The arguments that say how variables get their first values, so that none are drawn by default."""
DRAWING = (
    "get_variable",
    "dense",
    "fully_connected",
    "dropout",
    "shuffle",
    *(f"{kind}{dimensions}d" for kind in ("conv", "Conv", "separable_conv") for dimensions in (1, 2, 3)),
    "Dense",
    "Dropout",
    "random_normal",
    "random_uniform",
    "random_shuffle",
    "truncated_normal",
    "normal",
    "uniform",
    "multinomial",
    "random_normal_initializer",
    "random_uniform_initializer",
    "truncated_normal_initializer",
    "glorot_uniform_initializer",
    "glorot_normal_initializer",
    "variance_scaling_initializer",
    "xavier_initializer",
)
"""What draws random numbers, in the graph or for the first values of variables."""
