"""The codes that only a rehearsal can give, as entries of the catalogue: to be explained and selected."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.rules.rule import Rule
from npu_migrate.run_codes import RUN_CODES


def with_run_codes(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """`rules`, and an entry for each code of a rehearsal that none of them has."""
    rules = tuple(rules)
    known = {rule.code for rule in rules}
    return (
        *rules,
        *(
            Rule(
                code,
                one.name,
                f"{one.summary}.",
                "seen in a run",
                "manual",
                one.sources,
                f"{one.summary}. No rule finds this in a script: `npu-rehearse` does, in a run of it.",
            )
            for code, one in RUN_CODES.items()
            if code not in known
        ),
    )
