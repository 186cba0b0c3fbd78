"""The command line of ``npu-rehearse``.

What SCRIPT prints goes to standard output, all else to standard error. The exit code is 0 when nothing is
found, 1 for verdicts or a difference, 2 when the command was used wrongly, 3 when SCRIPT itself failed, and
130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from npu_migrate.help_page import GroupedCommand
from npu_migrate.languages.choosing import LANGUAGES
from npu_migrate.reports.formats import FORMATS
from npu_migrate.streams import open_closed_streams, tell
from npu_migrate.version import __version__

_FAILED = 2
_INTERRUPTED = 130
_FORMS = [name for name in FORMATS if name != "github-review"]


_GROUPS = {
    "What is run": ("--imitate", "--migrate", "--port", "--compare", "--ranks", "--unsafe-fixes"),
    "How": ("--python", "--max-runs", "--config"),
    "Report": ("--format", "--output-file", "--language"),
}
_EXAMPLES = (
    ("npu-rehearse train.py --steps 100", "judge each session run"),
    ("npu-rehearse --compare train.py", "as it is, beside a migrated copy"),
    ("npu-rehearse --python python3.7 train.py", "with the TensorFlow of that Python"),
)
_EXIT_CODES = (
    ("0", "nothing was found; with --compare and --ranks also: all was equal"),
    ("1", "verdicts, or a difference"),
    ("2", "the command was used wrongly"),
    ("3", "SCRIPT itself failed"),
    ("130", "interrupted"),
)


@click.command(
    name="npu-rehearse",
    cls=GroupedCommand,
    groups=_GROUPS,
    examples=_EXAMPLES,
    exit_codes=_EXIT_CODES,
    options_metavar="[OPTIONS]",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "allow_interspersed_args": False,
    },
)
@click.argument("script", metavar="SCRIPT")
@click.argument("arguments", nargs=-1, metavar="[ARGS]...", type=click.UNPROCESSED)
@click.option("--imitate", is_flag=True, help="Also do what the device would do: zeros, N steps, aborts.")
@click.option("--migrate", is_flag=True, help="Rehearse a migrated copy, in a temporary folder.")
@click.option("--port", is_flag=True, help="Rehearse a copy that is moved from a GPU to the NPU.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply unsafe fixes to the copy too.")
@click.option(
    "--compare",
    is_flag=True,
    help="Run SCRIPT as it is and a migrated copy as on the NPU; compare what they fetch and print.",
)
@click.option(
    "--ranks",
    type=click.IntRange(min=2),
    metavar="N",
    help="Run SCRIPT as each of N ranks, and compare what they send to their devices.",
)
@click.option("--python", metavar="PATH", help="The Python that has TensorFlow.")
@click.option("--max-runs", type=click.IntRange(min=1), metavar="N", help="End SCRIPT after N session runs.")
@click.option("--format", "form", type=click.Choice(_FORMS), help="Form of the report.  [default: text]")
@click.option("--output-file", metavar="FILE", help="Write the report to FILE, not to standard error.")
@click.option(
    "--language",
    type=click.Choice([*LANGUAGES]),
    help="Language of what people read.  [default: that of the locale]",
)
@click.option("--config", metavar="FILE", help="TOML file with the table [tool.npu-migrate].")
@click.version_option(__version__, prog_name="npu-rehearse", message="%(prog)s %(version)s")
def command(**options: Any) -> int:
    """Run a TensorFlow training script on the CPU, and judge it as an Ascend NPU would.

    Everything behind SCRIPT belongs to SCRIPT.
    """
    from npu_migrate.commands.rehearsing.options import Options
    from npu_migrate.commands.rehearsing.running import rehearse
    from npu_migrate.commands.speaking import require_known_language

    require_known_language(options["language"])
    return rehearse(Options(**options))


def main() -> NoReturn:
    """Run the command line and exit. Errors of the user take one line."""
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = command.main(standalone_mode=False)
    except click.MissingParameter:
        tell("npu-rehearse: error: name the script to run (see --help)")
        sys.exit(_FAILED)
    except click.ClickException as error:
        from npu_migrate.reports.text import printable

        tell(f"npu-rehearse: error: {printable(error.format_message())}")
        sys.exit(_FAILED)
    except (click.Abort, KeyboardInterrupt):
        tell("npu-rehearse: interrupted")
        sys.exit(_INTERRUPTED)
    except Exception:
        sys.excepthook(*sys.exc_info())
        tell("npu-rehearse: this is a bug in npu-migrate; please report it with the text above")
        sys.exit(_FAILED)
    sys.exit(code)


if __name__ == "__main__":
    main()
