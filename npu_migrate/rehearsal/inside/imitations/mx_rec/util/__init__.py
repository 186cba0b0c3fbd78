"""What the package exports."""

from __future__ import annotations

# ruff: noqa: F401 (names are imported here to be exported)
from mx_rec.util.initialize import (
    get_initializer,
    init,
    set_if_load,
    terminate_config_initializer,
)
