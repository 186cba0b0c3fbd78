"""Features."""

from __future__ import annotations

# ruff: noqa: F401 (names are imported here to be exported)
from mx_rec.core.asc.helper import FeatureSpec
