"""The report as one HTML page: no other files, no network, readable without scripts."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from npu_migrate.findings import Report
from npu_migrate.reports.html.characters import visible
from npu_migrate.reports.html.page import page_of
from npu_migrate.reports.notebooks import short_place
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.version import __version__


def html_report(report: Report, surroundings: Surroundings) -> str:
    """The page as text. It is pure ASCII, so any stream can carry it.

    Every value is escaped by the template engine. The page's policy lets a browser run the page's own script
    only, so that nothing that stands in the analysed files can ever be executed or fetched.
    """
    style, script = _asset("report.css"), _asset("report.js")
    text = (
        _environment()
        .get_template("report.html")
        .render(
            page=page_of(report, surroundings),
            version=__version__,
            short_place=short_place,
            say=surroundings.say,
            language=surroundings.language,
            style=style,
            script=script,
            policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
            "base-uri 'none'; form-action 'none'",
        )
    )
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("npu_migrate.reports.html"),
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalized(value: object) -> object:
    """What the template inserts for a value: text with its invisible characters shown."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> Markup:
    return Markup(resources.files(__package__).joinpath(f"templates/{name}").read_text("utf-8"))


def _hash(text: str) -> str:
    """The name of an inline style or script in a Content-Security-Policy."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
