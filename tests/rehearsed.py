"""What the rehearsal says of the scripts of the tests, where it is not what the rules say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from npu_migrate.rehearsal.protocol import Verdict
from npu_migrate.rehearsal.wording import message

FIXES_WRONG_ON_THE_NPU: frozenset[str] = frozenset()
"""Cases whose migrated script goes wrong on the NPU. Must become empty: a test fails when an entry is no
longer needed."""

ASSEMBLED_WRONG_ON_THE_NPU: frozenset[tuple[str, str]] = frozenset()
"""The same for the scripts of `assembled.py` that have both of these parts. Must become empty."""

_HOST_OPERATIONS = {"NPU725": "no rule looks for operations of the host yet"}
_STILL_UNINITIALIZED = {"NPU102": "the text shows the reason, which is NPU103"}
_HOOK = {"NPU305": "the hook is there, and what it lacks is NPU306"}

SEEN_ONLY_IN_A_RUN: Mapping[str, Mapping[str, str]] = {
    "NPU101-one-shot-iterator/session-from-function": _HOST_OPERATIONS,
    "NPU102-uninitialized-iterator/chained": _HOST_OPERATIONS,
    "NPU103-local-init-bypasses-iterators/options-in-a-dict": _STILL_UNINITIALIZED,
    "NPU103-local-init-bypasses-iterators/scaffold": _STILL_UNINITIALIZED,
    "NPU103-local-init-bypasses-iterators/scaffold-of-handed-on-keywords": _STILL_UNINITIALIZED,
    "NPU103-local-init-bypasses-iterators/supervisor": _STILL_UNINITIALIZED,
    "NPU107-input-not-offloadable/fetched-and-fed": {
        "NPU107": "the rule does not follow a batch to the host and back yet"
    },
    "NPU103-local-init-bypasses-iterators/supervisor-sets-a-switch": _STILL_UNINITIALIZED,
    "NPU201-iterations-per-loop-invalid/misspelt-in-session": {
        "NPU601": "of all keys that the NPU does not know, the text shows this one so far, as NPU201"
    },
    "NPU306-step-or-loss-hook-mismatch/missing-total": _HOOK,
    "NPU306-step-or-loss-hook-mismatch/wrong-trigger": _HOOK,
    "NPU501-rec-init-unknown-argument/estimator": {
        "NPU509": "the steps are given, under a misspelt name, which is NPU501"
    },
}
"""By case, the codes that a run shows and the text does not, with the reason. No fix mends them either."""


def in_words(verdicts: Iterable[Verdict]) -> list[str]:
    """What `verdicts` say, for the message of a test."""
    return [
        f"{one.place.path}:{one.place.line}: {one.code} {message(one)}" if one.place else message(one)
        for one in verdicts
    ]
