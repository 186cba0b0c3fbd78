"""The rule catalogue: one module per rule, named after its code.

`rule.py` says what a rule is. Read `npu404.py` first, which looks for one call, then `npu203.py`, which needs
values, then `npu102.py`, which asks for pipelines and sessions and has a fix. The modules that are not named
after a code have what rules of one group say alike. Findings are made here and intents are chosen; everything
that is found out about a program is asked in `training/` and `semantics/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import overload

from npu_migrate.rules.rule import Rule

CODES: tuple[str, ...] = (
    "NPU101",
    "NPU102",
    "NPU103",
    "NPU104",
    "NPU105",
    "NPU106",
    "NPU107",
    "NPU108",
    "NPU109",
    "NPU110",
    "NPU111",
    "NPU201",
    "NPU202",
    "NPU203",
    "NPU204",
    "NPU205",
    "NPU206",
    "NPU207",
    "NPU208",
    "NPU209",
    "NPU210",
    "NPU211",
    "NPU212",
    "NPU301",
    "NPU302",
    "NPU303",
    "NPU304",
    "NPU305",
    "NPU306",
    "NPU307",
    "NPU308",
    "NPU309",
    "NPU310",
    "NPU401",
    "NPU402",
    "NPU403",
    "NPU404",
    "NPU405",
    "NPU406",
    "NPU407",
    "NPU408",
    "NPU501",
    "NPU502",
    "NPU503",
    "NPU504",
    "NPU505",
    "NPU506",
    "NPU507",
    "NPU508",
    "NPU509",
    "NPU510",
    "NPU511",
    "NPU512",
    "NPU513",
    "NPU514",
    "NPU601",
    "NPU602",
    "NPU603",
    "NPU604",
    "NPU605",
    "NPU606",
    "NPU607",
    "NPU608",
    "NPU609",
    "NPU610",
    "NPU611",
    "NPU612",
    "NPU613",
    "NPU614",
    "NPU615",
    "NPU617",
    "NPU618",
    "NPU619",
    "NPU701",
    "NPU702",
    "NPU703",
    "NPU704",
    "NPU705",
    "NPU706",
    "NPU707",
    "NPU708",
    "NPU711",
    "NPU712",
    "NPU713",
    "NPU714",
    "NPU715",
    "NPU716",
    "NPU717",
    "NPU718",
    "NPU719",
    "NPU721",
    "NPU722",
    "NPU723",
    "NPU724",
    "NPU725",
    "NPU726",
    "NPU731",
    "NPU732",
    "NPU733",
    "NPU734",
    "NPU735",
    "NPU736",
    "NPU737",
    "NPU738",
    "NPU801",
    "NPU802",
    "NPU803",
    "NPU804",
    "NPU901",
    "NPU902",
    "NPU903",
    "NPU904",
    "NPU905",
)
"""The codes of all rules, in order."""


class Catalogue(Sequence[Rule]):
    """All rules, in order of their codes.

    Their modules are imported when the first of them is asked for: a run that is answered from the cache
    needs none, and importing all of them takes longer than such a run.
    """

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        return tuple(import_module(f"{__name__}.{code.lower()}").RULE for code in CODES)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, index: int | slice) -> Rule | tuple[Rule, ...]:
        return self._rules[index]

    def __len__(self) -> int:
        return len(CODES)


ALL_RULES = Catalogue()
