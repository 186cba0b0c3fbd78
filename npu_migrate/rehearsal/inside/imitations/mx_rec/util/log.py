"""The logger of Rec SDK."""

from __future__ import annotations

import logging

logger = logging.getLogger("mx_rec")
