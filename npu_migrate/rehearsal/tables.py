"""What ``inside/`` is told of options: the tables of `knowledge` as plain values."""

from __future__ import annotations

from typing import Any

from npu_migrate.knowledge import acceleration, rec
from npu_migrate.knowledge.option_partners import CONFLICTS, PARTNERS, Part
from npu_migrate.knowledge.option_values import in_words
from npu_migrate.knowledge.run_config import PARAMETERS
from npu_migrate.knowledge.session_keys import SESSION_KEYS, SessionKey


def tables() -> dict[str, Any]:
    """The tables of a request, ready for `json`."""
    return {
        "session_keys": {name: _session_key(key) for name, key in SESSION_KEYS.items()},
        "conflicts": [
            {
                "one": _part(row.one),
                "other": _part(row.other),
                "why": row.why,
                "severity": row.weight,
                "stops": row.stops,
            }
            for row in CONFLICTS
            if row.only_in is None and {row.one.name, row.other.name} <= SESSION_KEYS.keys()
        ],
        "partners": [
            {
                "one": _part(row.one),
                "needed": [_part(part) for part in row.needed],
                "why": row.why,
                "severity": row.weight,
                "stops": row.stops,
            }
            for row in PARTNERS
        ],
        "run_config": list(PARAMETERS),
        "acceleration": {
            "key": acceleration.SESSION_KEY,
            "types": list(acceleration.TYPES),
            "ratios": {trigger: list(pair) for trigger, pair in acceleration.RATIOS.items()},
            "default_ratios": dict(acceleration.DEFAULT_RATIOS),
            "variables": {trigger: list(pair) for trigger, pair in acceleration.VARIABLES.items()},
            "precision_modes": {key: sorted(some) for key, some in acceleration.PRECISION_MODES.items()},
        },
        "rec_init": {
            "arguments": {
                name: {"kind": None if one.kind is None else one.kind.__name__, "smallest": one.smallest}
                for name, one in rec.ARGUMENTS.items()
            },
            "former": sorted(rec.FORMER_ARGUMENTS),
            "largest": rec.LARGEST,
        },
    }


def _session_key(key: SessionKey) -> dict[str, Any]:
    return {
        "field": key.field,
        "default": key.default,
        "values": list(key.values) or None,
        "smallest": key.smallest,
        "largest": key.largest,
        "pattern": key.pattern,
        "refused": key.refused,
        "checked_with": key.checked_with,
        "legal": in_words(key),
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "key": part.name,
        "values": list(part.values) or None,
        "pattern": part.pattern,
        "default": part.default,
        "present": part.present,
        "words": part.in_words(),
    }
