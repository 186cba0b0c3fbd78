"""What a session's configuration says to the NPU: the entry ``NpuOptimizer`` and its keys."""

from __future__ import annotations

from typing import Any, NamedTuple

ENTRY = "NpuOptimizer"


class Option(NamedTuple):
    """A key's value, and the field of the protobuf oneof that it was set in (`""`: in none)."""

    field: str
    value: Any


class Options:
    """The keys of a session's entry. `other_entries` are other custom optimizers, with their keys."""

    def __init__(
        self,
        entry: dict[str, Option] | None,
        other_entries: tuple[tuple[str, tuple[str, ...]], ...] = (),
    ) -> None:
        self.keys = entry or {}
        self.other_entries = other_entries
        self.present = entry is not None

    def flag(self, key: str, default: bool = False) -> bool:
        """A key of the field ``b``; set in another field it reads as False."""
        option = self.keys.get(key)
        if option is None:
            return default
        return bool(option.value) if option.field == "b" else False

    def number(self, key: str, default: int = 0) -> int:
        """A key of the field ``i``."""
        option = self.keys.get(key)
        if option is None:
            return default
        return int(option.value) if option.field == "i" else 0

    def text(self, key: str) -> str:
        """A key of the field ``s``."""
        option = self.keys.get(key)
        return str(option.value) if option is not None and option.field == "s" else ""

    @property
    def reaches_npu(self) -> bool:
        """Whether a session with this entry runs its graphs on the NPU."""
        if not self.present or not self.flag("use_off_line", default=True):
            return False
        return self.text("job") not in ("ps", "default")

    @property
    def iterations(self) -> int:
        """N, the steps of one run."""
        return self.number("iterations_per_loop", 1)

    @property
    def mixed(self) -> bool:
        """Whether the host may compute a part of the graph."""
        return self.flag("mix_compile_mode")


def options_of(config: Any) -> Options:
    """What `config`, a ConfigProto or None, says."""
    if config is None:
        return Options(None)
    entry: dict[str, Option] | None = None
    others = []
    for custom in config.graph_options.rewrite_options.custom_optimizers:
        keys = {key: _option(value) for key, value in custom.parameter_map.items()}
        if custom.name == ENTRY:
            # Of several entries of that name the later keys win.
            entry = {**(entry or {}), **keys}
        else:
            others.append((str(custom.name), tuple(keys)))
    return Options(entry, tuple(others))


def _option(value: Any) -> Option:
    field = value.WhichOneof("value") or ""
    if field in ("b", "i", "f"):
        return Option(field, getattr(value, field))
    if field == "s":
        return Option("s", value.s.decode("utf-8", "backslashreplace"))
    return Option(field, None)
