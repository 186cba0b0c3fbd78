"""Thousands of steps, each of which needs the one before: what stands beside them is found and fixed."""

from __future__ import annotations

import pytest
from command import folder_with

from npu_migrate import check
from robustness.chains import CHAINS, Chain


def require_found_beside(chain: Chain, length: int) -> None:
    """Raises `AssertionError` unless everything is checked and the iterator beside the chain can be fixed."""
    with folder_with(chain.program(length)):
        found = check(["."]).diagnostics
    assert not [one.message for one in found if one.code in ("NPU901", "NPU902", "NPU903")]
    last = max(one.range.start.line for one in found if one.path == "train.py")
    beside = [one for one in found if one.path == "train.py" and one.range.start.line == last]
    assert [one.code for one in beside] == ["NPU101"] and beside[0].fix is not None


@pytest.mark.parametrize("name", CHAINS)
def test_a_long_chain_costs_only_itself(name: str) -> None:
    require_found_beside(CHAINS[name], CHAINS[name].length)
