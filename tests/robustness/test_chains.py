"""Thousands of steps, each of which needs the one before: what stands beside them is found and fixed."""

from __future__ import annotations

import pytest

from robustness.chains import CHAINS, require_found_beside


@pytest.mark.parametrize("name", CHAINS)
def test_a_long_chain_costs_only_itself(name: str) -> None:
    require_found_beside(CHAINS[name], CHAINS[name].length)
