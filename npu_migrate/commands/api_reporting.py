"""``--api-report``: which functions of TensorFlow a project calls, and what is known of them on the NPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from npu_migrate.commands.options import CommandError, Options
from npu_migrate.commands.requests import request_of
from npu_migrate.commands.speaking import language_of
from npu_migrate.engine.api_use import api_uses
from npu_migrate.engine.job import Machinery
from npu_migrate.engine.request import prepare
from npu_migrate.findings import ApiUse
from npu_migrate.languages.language import Language
from npu_migrate.reports.api_use import api_use_json, api_use_text
from npu_migrate.reports.translating import translated_uses
from npu_migrate.settings import Settings, SettingsError
from npu_migrate.sources.discovery import PathError
from npu_migrate.streams import emit


def tell_api_use(options: Options, machinery: Machinery) -> None:
    """Print the report, or write it to the file that was asked for. Raises `CommandError`."""
    try:
        request = request_of(options, machinery)
        job = prepare(replace(request, override=lambda found: _ported(request.override(found))), machinery)
        uses = api_uses(job)
    except (PathError, SettingsError) as error:
        raise CommandError(str(error)) from None
    text = (
        api_use_json(uses)
        if options.form == "json"
        else _text(uses, language_of(options.language, job.settings))
    )
    if options.output_file is None:
        emit(text)
        return
    try:
        Path(options.output_file).write_bytes(text.encode())
    except OSError as error:
        raise CommandError(f"{options.output_file}: cannot be written: {error.strerror}") from None


def _text(uses: tuple[ApiUse, ...], language: Language) -> str:
    return api_use_text(translated_uses(uses, language), language.say)


def _ported(settings: Settings) -> Settings:
    """The settings with which every file that mentions TensorFlow is looked at."""
    return replace(settings, port=True)
