"""What the rehearsal says of the scripts of the tests, where it is not what the rules say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from npu_migrate.rehearsal.protocol import Verdict
from npu_migrate.rehearsal.wording import message

FIXES_WRONG_ON_THE_NPU = frozenset({"NPU101-one-shot-iterator/tables-already-initialized"})
"""Cases whose migrated script goes wrong on the NPU. Must become empty: a test fails when an entry is no
longer needed."""

ASSEMBLED_WRONG_ON_THE_NPU = frozenset({"with tables"})
"""The same for the parts of `assembled.py`. Must become empty."""

SEEN_ONLY_IN_A_RUN: Mapping[str, Mapping[str, str]] = {
    "NPU201-iterations-per-loop-invalid/misspelt-in-session": {
        "NPU601": "of all keys that the NPU does not know, the text shows this one so far, as NPU201"
    },
}
"""By case, the codes that a run shows and the text does not, with the reason."""


def in_words(verdicts: Iterable[Verdict]) -> list[str]:
    """What `verdicts` say, for the message of a test."""
    return [
        f"{one.place.path}:{one.place.line}: {one.code} {message(one)}" if one.place else message(one)
        for one in verdicts
    ]
