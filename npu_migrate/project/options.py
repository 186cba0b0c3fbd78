"""What a team has said about its programs that no file says: rules read it, nothing changes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The settings that rules weigh; None, or the default, where a team has said nothing.

    `loss_tensor` is the name of the loss tensor (``loss:0``), `final_loss` the loss that training aims at;
    `product` is the family of NPUs: ``training``, ``a2``, ``a3`` or ``950``, and `cann` the version of CANN,
    such as ``8.0``. `initialize` is how fixes get iterators initialized: ``explicit``, ``first-use`` or
    ``explicit-then-first-use``. With `port` programs for a GPU are judged as what they will be on the NPU.
    """

    loss_tensor: str | None = None
    final_loss: float | None = None
    product: str | None = None
    initialize: str = "explicit"
    cann: str | None = None
    port: bool = False


NO_OPTIONS = RuleOptions()
"""Nothing is said."""
