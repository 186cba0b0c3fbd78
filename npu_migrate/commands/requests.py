"""From the options of the command line to what the engine is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from npu_migrate.commands.options import Options
from npu_migrate.commands.reading import standard_input
from npu_migrate.engine.job import Machinery, index_here
from npu_migrate.engine.remembering.kept_facts import KeptFacts
from npu_migrate.engine.request import Request, Text
from npu_migrate.findings import Applicability
from npu_migrate.settings import FAIL_ON, Settings, codes_from
from npu_migrate.sources.discovery import key_of


def request_of(options: Options, machinery: Machinery) -> Request:
    """What `options` ask the engine for. Raises `SettingsError` and `CopyError`; reads standard input."""
    _require_known(options.select, machinery, "--select")
    _require_known(options.ignore, machinery, "--ignore")
    if options.output is not None:
        from npu_migrate.sources.copying import require_destination

        require_destination(options.paths, options.output)
    text = None
    if "-" in options.paths:
        text = Text(standard_input(), options.stdin_filename)
    return Request(
        paths=options.paths,
        text=text,
        root=None if options.root is None else Path(options.root),
        config=None if options.config is None else Path(options.config),
        override=lambda found: _with_options(found, options),
        index=KeptFacts() if options.write or options.output is not None else index_here,
    )


def _require_known(codes: str | None, machinery: Machinery, origin: str) -> None:
    if codes is None:
        return
    from npu_migrate.engine.selection import require_known
    from npu_migrate.rules.seen_in_runs import with_run_codes

    names = {rule.code: rule.name for rule in with_run_codes(machinery.rules)}
    require_known(codes_from(codes), names, origin)


def _with_options(settings: Settings, options: Options) -> Settings:
    """`settings`, in which each option that was given replaces its key."""
    if options.select is not None:
        settings = replace(settings, select=codes_from(options.select))
    if options.ignore is not None:
        settings = replace(settings, ignore=codes_from(options.ignore))
    if options.fail_on is not None:
        settings = replace(settings, fail_on=FAIL_ON[options.fail_on])
    if options.no_baseline or options.write_baseline is not None:
        settings = replace(settings, baseline=None)
    elif options.baseline is not None:
        settings = replace(settings, baseline=key_of(options.baseline))
    if options.only_verified:
        settings = replace(settings, only_verified=True)
    if options.unsafe_fixes:
        settings = replace(settings, applicability=Applicability.UNSAFE)
    if options.initialize is not None:
        settings = replace(settings, initialize=options.initialize)
    if options.port:
        settings = replace(settings, port=True)
    return settings
