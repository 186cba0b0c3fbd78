"""The command line: options, the four things a run can do, exit codes.

Results go to standard output, all else to standard error. The exit code is 0 when nothing at or above
``--fail-on`` remains, 1 when something does, 2 when the command itself failed, 130 after Ctrl-C.
Everything but click is imported where it is needed, so that ``--version`` answers at once.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from typing import Any, NoReturn

import click
import click.shell_completion

from npu_migrate.help_page import GroupedCommand
from npu_migrate.languages.choosing import LANGUAGES
from npu_migrate.reports.formats import FORMATS
from npu_migrate.streams import emit, forget_output, open_closed_streams, tell
from npu_migrate.version import __version__

_FAILED = 2
_INTERRUPTED = 130
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


_GROUPS = {
    "What to look at": (
        "--root",
        "--config",
        "--stdin-filename",
        "--changed-since",
        "--diff-file",
        "--new-only",
    ),
    "Fixes": (
        "--diff",
        "--write",
        "--output",
        "--port",
        "--unsafe-fixes",
        "--only-verified",
        "--initialize",
    ),
    "Rules": ("--select", "--ignore", "--list-rules", "--explain"),
    "Report": (
        "--format",
        "--output-file",
        "--group-by",
        "--statistics",
        "--api-report",
        "--fail-on",
        "--existing",
        "--language",
        "--quiet",
        "--verbose",
    ),
    "Accepted findings": (
        "--baseline",
        "--no-baseline",
        "--write-baseline",
        "--prune-baseline",
        "--add-suppressions",
        "--suppression-reason",
    ),
    "Speed": ("--jobs", "--executor", "--no-cache", "--clean-cache"),
}
_EXAMPLES = (
    ("npu-migrate src/", "tell what is found; write nothing"),
    ("npu-migrate --diff src/", "show the safe fixes"),
    ("npu-migrate --write src/", "apply them"),
    ("npu-migrate --format concise --group-by rule src/", "many findings, in short"),
    ("npu-migrate --explain NPU101", "why a rule is there, and what to do"),
)
_EXIT_CODES = (
    ("0", "nothing at or above --fail-on remains"),
    ("1", "something remains"),
    ("2", "the command itself failed: wrong options or settings, a path that is not there"),
    ("130", "interrupted"),
)


_PATH = click.Path(readable=False)
"""So that shells complete it; whether it can be used is said later, in the words of this tool."""


def _codes(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    """The rules that a shell offers behind what is typed, of several codes behind the last comma."""
    from npu_migrate.rules import ALL_RULES

    before, comma, begun = incomplete.rpartition(",")
    return [
        click.shell_completion.CompletionItem(f"{before}{comma}{rule.code}", help=rule.name)
        for rule in ALL_RULES
        if rule.code.startswith(begun.upper())
    ]


@click.command(
    name="npu-migrate",
    cls=GroupedCommand,
    groups=_GROUPS,
    examples=_EXAMPLES,
    exit_codes=_EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.argument("paths", nargs=-1, metavar="PATH...", type=_PATH)
@click.option("--diff", is_flag=True, help="Print the fixes as a unified diff; write nothing.")
@click.option("--write", is_flag=True, help="Apply the fixes in place.")
@click.option("--output", metavar="DIR", type=_PATH, help="Write a migrated copy of the whole tree to DIR.")
@click.option("--port", is_flag=True, help="Move programs for a GPU to the NPU.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply unsafe fixes too.")
@click.option(
    "--initialize",
    type=click.Choice(["explicit", "first-use", "explicit-then-first-use"]),
    help="How fixes get iterators initialized.  [default: explicit]",
)
@click.option("--only-verified", is_flag=True, help="Count fixes as unsafe that could not be verified.")
@click.option(
    "--select",
    metavar="CODES",
    shell_complete=_codes,
    help="Rules to report: codes or prefixes, comma separated.",
)
@click.option(
    "--ignore",
    metavar="CODES",
    shell_complete=_codes,
    help="Rules not to report: codes or prefixes, comma separated.",
)
@click.option("--format", "form", type=click.Choice([*FORMATS]), help="Form of the report.  [default: text]")
@click.option("--output-file", metavar="FILE", type=_PATH, help="Write the report to FILE.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    help="Least severity that makes the exit code 1.  [default: warning]",
)
@click.option("--explain", metavar="CODE", shell_complete=_codes, help="Show a rule's documentation.")
@click.option("--list-rules", is_flag=True, help="List all rules.")
@click.option("--root", metavar="DIR", type=_PATH, help="Folder of the project that PATH belongs to.")
@click.option("--stdin-filename", metavar="NAME", help="File that standard input stands for.")
@click.option("--config", metavar="FILE", type=_PATH, help="TOML file with the table [tool.npu-migrate].")
@click.option("--changed-since", metavar="REV", help="Report only what changed since REV, or broke by it.")
@click.option(
    "--diff-file",
    metavar="FILE",
    type=_PATH,
    help="Report only what this patch changed or broke; - is stdin.",
)
@click.option("--new-only", is_flag=True, help="Of a change, report only what was not there before it.")
@click.option(
    "--existing",
    multiple=True,
    metavar="FILE",
    type=_PATH,
    help="Comments (JSON) that a review has already; do not repeat them.",
)
@click.option(
    "--baseline", metavar="FILE", type=_PATH, help="Findings in FILE are accepted and do not count."
)
@click.option("--no-baseline", is_flag=True, help="Accept no findings, whatever the settings say.")
@click.option("--write-baseline", metavar="FILE", type=_PATH, help="Accept in FILE all that is found now.")
@click.option("--prune-baseline", is_flag=True, help="Take findings that are gone from the baseline.")
@click.option("--add-suppressions", is_flag=True, help="Accept what is found by comments in the files.")
@click.option("--suppression-reason", metavar="TEXT", help="What these comments give as reason.")
@click.option(
    "--statistics", is_flag=True, help="Count the findings of each rule, or group, instead of listing them."
)
@click.option(
    "--group-by",
    type=click.Choice(["rule", "folder", "program"]),
    help="Tell findings in groups, and count each group at the end.",
)
@click.option(
    "--language",
    type=click.Choice([*LANGUAGES]),
    help="Language of what people read.  [default: that of the locale]",
)
@click.option("--api-report", is_flag=True, help="List the TensorFlow functions used, with what is known.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that analyse at the same time.  [default: one per processor]",
)
@click.option("--executor", metavar="dask://HOST:PORT", help="Parse files on the cluster of this scheduler.")
@click.option("--no-cache", is_flag=True, help="Read and analyse everything anew; keep nothing.")
@click.option("--clean-cache", is_flag=True, help="Remove the cache.")
@click.option("--quiet", is_flag=True, help="Print no summary and no progress.")
@click.option("--verbose", is_flag=True, help="Tell which settings and files were used.")
@click.version_option(__version__, prog_name="npu-migrate", message="%(prog)s %(version)s")
def command(**options: Any) -> int:
    """Find and fix what keeps TensorFlow 1.15 training scripts from running well on Ascend NPUs.

    PATH: files, folders, or - for standard input.
    """
    from npu_migrate.commands import run_command
    from npu_migrate.commands.options import Options
    from npu_migrate.commands.speaking import require_known_language
    from npu_migrate.engine.installed import installed_machinery
    from npu_migrate.rules import ALL_RULES

    require_known_language(options["language"])
    list_rules, code = options.pop("list_rules"), options.pop("explain")
    if options.pop("clean_cache"):
        from npu_migrate.commands.caching import clean_cache
        from npu_migrate.commands.speaking import asked_language

        language = asked_language(options["language"], options["root"], options["config"])
        emit(clean_cache(options["root"], options["config"], language.say))
        return 0
    if list_rules:
        from npu_migrate.commands.speaking import asked_language
        from npu_migrate.reports.catalogue import catalogue
        from npu_migrate.reports.translating import translated_rules
        from npu_migrate.rules.seen_in_runs import with_run_codes

        language = asked_language(options["language"], options["root"], options["config"])
        emit(catalogue(translated_rules(with_run_codes(ALL_RULES), language), language.say))
        return 0
    if code is not None:
        from npu_migrate.commands.explaining import explain
        from npu_migrate.commands.speaking import asked_language
        from npu_migrate.rules.seen_in_runs import with_run_codes

        language = asked_language(options["language"], options["root"], options["config"])
        emit(explain(code, with_run_codes(ALL_RULES), language))
        return 0
    process = click.get_current_context().obj
    return run_command(Options(**options), installed_machinery(), **({} if process is None else process))


def leave_at_once(code: int) -> int:
    """Ends the process with everything written. Freeing the facts of a run would take a fifth of its time."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.flush()
    os._exit(code)


def main(question: str | None = None) -> NoReturn:
    """Run the command line and exit. Errors of the user take one line, and so does Ctrl-C.

    `question` is the name under which the next process will look for an answer, if it may.
    """
    # The process ends with the run, so nothing needs to be collected.
    gc.disable()
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        process = {"leave": leave_at_once, "question": question}
        code = command.main(standalone_mode=False, obj=process)
    except click.ClickException as error:
        from npu_migrate.reports.text import printable

        tell(f"npu-migrate: error: {printable(error.format_message())}")
        sys.exit(_FAILED)
    except (click.Abort, KeyboardInterrupt):
        tell("npu-migrate: interrupted; nothing was written")
        sys.exit(_INTERRUPTED)
    except Exception as error:
        from npu_migrate.commands.options import Interrupted

        if isinstance(error, Interrupted):
            tell(f"\nnpu-migrate: interrupted; {error}")
            sys.exit(_INTERRUPTED)
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            forget_output()
            tell(f"npu-migrate: error: the result cannot be written: {error.strerror}")
            sys.exit(_FAILED)
        # An exit code of 1, Python's own for this, would claim that findings remain.
        sys.excepthook(*sys.exc_info())
        tell("npu-migrate: this is a bug in npu-migrate; please report it with the text above")
        sys.exit(_FAILED)
    sys.exit(code)
