"""What the package exports."""

# ruff: noqa: F401 (names are imported here to be exported)
from mx_rec.util.initialize import init, terminate_config_initializer
