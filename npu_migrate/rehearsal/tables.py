"""What ``inside/`` is told of options: the tables of `knowledge` as plain values."""

from __future__ import annotations

from typing import Any

from npu_migrate.knowledge import acceleration, rec
from npu_migrate.knowledge.run_config import PARAMETERS
from npu_migrate.knowledge.session_keys import (
    DYNAMIC_TRIO,
    EXCLUSIVE,
    OBSOLETE_KEYS,
    SESSION_KEYS,
    SessionKey,
)


def tables() -> dict[str, Any]:
    """The tables of a request, ready for `json`."""
    return {
        "session_keys": {name: _session_key(key) for name, key in SESSION_KEYS.items()},
        "obsolete_keys": dict(OBSOLETE_KEYS),
        "dynamic_trio": list(DYNAMIC_TRIO),
        "exclusive_keys": [list(pair) for pair in EXCLUSIVE],
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
        "deprecated": key.state == "deprecated",
    }
