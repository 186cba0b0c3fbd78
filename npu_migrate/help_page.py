"""``--help`` in groups: what belongs together stands together, with examples and the exit codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

_OTHERS = "Other options"


class GroupedCommand(click.Command):
    """A command whose options are listed in `groups`, by the name that each begins with on the command line.

    Options of no group come last. `examples` are command lines with what they do, and `exit_codes` numbers
    with what they mean.
    """

    def __init__(
        self,
        *arguments: Any,
        groups: Mapping[str, Sequence[str]],
        examples: Sequence[tuple[str, str]],
        exit_codes: Sequence[tuple[str, str]],
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        self.groups = groups
        self.examples = examples
        self.exit_codes = exit_codes

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, each under its title; all have their texts in the same column."""
        title_of = {option: title for title, options in self.groups.items() for option in options}
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (*self.groups, _OTHERS)}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                rows[title_of.get(parameter.opts[-1], _OTHERS)].append(row)
        longest = max(len(name) for listed in rows.values() for name, _ in listed)
        for title, listed in rows.items():
            if listed:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(min(longest, 30)), text) for name, text in listed])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the exit codes."""
        for title, rows in (("Examples", self.examples), ("Exit codes", self.exit_codes)):
            with formatter.section(title):
                formatter.write_dl([*rows], col_max=60)
        super().format_epilog(ctx, formatter)
