"""The command ``npu-migrate-review``: options, the token, and what is printed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn
from urllib.parse import urlsplit

import click

from npu_migrate.posting.remarks import PostingError
from npu_migrate.posting.surroundings import Surroundings, surroundings
from npu_migrate.streams import emit, open_closed_streams, tell
from npu_migrate.version import __version__

if TYPE_CHECKING:
    from npu_migrate.posting.running import Asked, Outcome
    from npu_migrate.posting.services.known import Kind

NAME = "npu-migrate-review"
SERVICES = ("github", "gitlab", "gitee", "gitcode")
ANY_TOKEN = "NPU_MIGRATE_TOKEN"

_INSTALL = 'posting needs one more package; install it with: pip install "npu-migrate[review]"'
_INTERRUPTED = "interrupted; run the command again, nothing is posted twice"
_OF_HTTPX = ("httpx", "httpcore", "anyio", "certifi", "idna", "h11")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TOKEN = re.compile(r"[!-~]+")
_LOCAL = ("localhost", "127.0.0.1", "::1")


class Options(NamedTuple):
    """What the command line says."""

    report: str
    service: str | None
    repository: str | None
    number: int | None
    commit: str | None
    address: str | None
    dry_run: bool
    max_wait: int


def main() -> None:
    """Run the command; ends the process. Errors of the user take one line."""
    open_closed_streams()
    try:
        code = command.main(prog_name=NAME, standalone_mode=False)
    except click.MissingParameter:
        _fail("name the report to post, or - for standard input (see --help)")
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        _fail(_INTERRUPTED, 130)
    sys.exit(code)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("report", metavar="REPORT")
@click.option(
    "--service", type=click.Choice(SERVICES), help="Where to post. Pipelines of GitHub and GitLab say it."
)
@click.option(
    "--repository", metavar="OWNER/NAME", help="The repository; on GitLab also the project's number."
)
@click.option(
    "--pull-request",
    "number",
    metavar="N",
    type=click.IntRange(min=1),
    help="The pull request. Without it, the open one that ends in --commit.",
)
@click.option(
    "--commit",
    metavar="SHA",
    help="The commit that the report is about. Nothing is posted when the pull request has moved on.",
)
@click.option("--api", "address", metavar="URL", help="The address of the API, for a server of your own.")
@click.option("--dry-run", is_flag=True, help="Say what would be posted, and change nothing.")
@click.option(
    "--max-wait",
    metavar="SECONDS",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    help="How long to wait altogether while a rate limit is used up.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def command(
    report: str,
    service: str | None,
    repository: str | None,
    number: int | None,
    commit: str | None,
    address: str | None,
    dry_run: bool,
    max_wait: int,
) -> None:
    """Post what REPORT says on a pull request of GitHub, GitLab, Gitee or GitCode.

    REPORT is a file, or - for standard input, made with: npu-migrate --format github-review. No other file is
    read, and no code is run. Comments that were posted before are changed, or resolved when their finding
    is not there any more; nothing is posted twice.

    The token is in NPU_MIGRATE_TOKEN, or in GITHUB_TOKEN, GITLAB_TOKEN, GITEE_TOKEN or GITCODE_TOKEN.
    """
    options = Options(report, service, repository, number, commit, address, dry_run, max_wait)
    try:
        outcome = _run(options, os.environ)
        emit(_told(outcome, dry_run))
    except PostingError as error:
        _fail(str(error))
    except OSError as error:
        _fail(error.strerror or str(error))
    except KeyboardInterrupt:
        _fail(_INTERRUPTED, 130)
    if outcome.unsettled:
        count = "1 thread" if outcome.unsettled == 1 else f"{outcome.unsettled} threads"
        tell(
            f"{NAME}: {count} could not be resolved, the token may not (on GitHub it needs contents: write); "
            "the comments say what is mended"
        )


def _fail(message: str, code: int = 2) -> NoReturn:
    tell(f"{NAME}: error: {message}")
    sys.exit(code)


def _run(options: Options, environment: Mapping[str, str]) -> Outcome:
    """Do what the options ask for. Raises `PostingError`."""
    from npu_migrate.posting.reading import MOST_BYTES, read_review

    review = read_review(_read(options.report, MOST_BYTES + 1))
    try:
        from npu_migrate.posting.client import Access, Client, Clock
        from npu_migrate.posting.running import post
        from npu_migrate.posting.services.known import kinds
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_HTTPX:
            raise
        raise PostingError(_INSTALL) from None
    known = surroundings(environment)
    name = options.service or known.service
    if name is None:
        raise PostingError(f"say with --service where to post: {', '.join(SERVICES)}")
    here = known if known.service == name else Surroundings()
    kind = kinds()[name]
    repository = _repository(options.repository or here.repository, name)
    asked = _asked(options, here)
    variable, token = _token(kind, environment)
    address = _address(options.address or here.address or kind.address)
    clock = Clock(float(options.max_wait))
    client = Client(Access(kind.name, address, kind.headers(token), variable, kind.needs), clock)
    try:
        service = kind.service(client, repository)
        return post(service, review, asked, dry_run=options.dry_run, sleep=clock.sleep)
    finally:
        client.close()


def _read(name: str, most: int) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read(most)
        with Path(name).open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise PostingError(f"cannot read {name}: {error.strerror or error}") from None


def _repository(name: str | None, service: str) -> str:
    if not name:
        raise PostingError("say with --repository which one: OWNER/NAME")
    names = name.strip("/").split("/")
    alone = service == "gitlab" and name.isdecimal()
    most = 50 if service == "gitlab" else 2
    if not alone and not (2 <= len(names) <= most and all(names) and not {".", ".."} & {*names}):
        raise PostingError(f"--repository wants OWNER/NAME, not {name}")
    return "/".join(names)


def _asked(options: Options, here: Surroundings) -> Asked:
    from npu_migrate.posting.running import Asked

    number = options.number or here.number
    # What a pipeline says of its commit holds for its own pull request only.
    commit = options.commit or (here.commit if number == here.number else None)
    if commit is not None and not _COMMIT.fullmatch(commit):
        raise PostingError(f"--commit wants the whole name of a commit, not {commit}")
    if number is None and commit is None:
        raise PostingError(
            "say which pull request with --pull-request, or with --commit the commit it ends in"
        )
    return Asked(number, commit)


def _token(kind: Kind, environment: Mapping[str, str]) -> tuple[str, str]:
    """The token, and the name of the variable that holds it."""
    for variable in (ANY_TOKEN, *kind.tokens):
        token = environment.get(variable, "").strip()
        if token and not _TOKEN.fullmatch(token):
            raise PostingError(f"{variable} holds characters that are in no token")
        if token:
            return variable, token
    raise PostingError(f"no token for {kind.name}: set {kind.tokens[0]} to one that has {kind.needs}")


def _address(text: str) -> str:
    """The address of an API. A token must not travel where all can read it."""
    address = text.rstrip("/")
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise PostingError(f"--api wants the address of an API, such as https://HOST/api/v4, not {text}")
    if parts.scheme == "http" and host not in _LOCAL:
        raise PostingError(f"--api wants https: over http everyone could read the token ({text})")
    return address


def _told(outcome: Outcome, dry_run: bool) -> str:
    """What was done, in one line; in a dry run also each comment."""
    if outcome.note:
        return f"{outcome.note}: nothing posted\n"
    todo = outcome.plan
    counts = {
        "posted": len(todo.create) + len(todo.summary),
        "updated": len(todo.update),
        "resolved": len(todo.resolve),
        "unchanged": todo.unchanged,
    }
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    head = f"pull request {outcome.pull.number}: {words}{' (dry run)' if dry_run else ''}\n"
    return head + ("".join(_shown(outcome)) if dry_run else "")


def _shown(outcome: Outcome) -> list[str]:
    todo = outcome.plan
    return [
        *(_entry(f"post on {one.remark.path}:{one.remark.last}", one.body) for one in todo.create),
        *(_entry("post on the whole", text) for text in todo.summary),
        *(_entry(f"update comment {one.posted.comment}", one.body) for one in todo.update),
        *(_entry(f"resolve comment {one.posted.comment}", one.body) for one in todo.resolve),
    ]


def _entry(what: str, body: str) -> str:
    lines = "\n".join(f"    {line}".rstrip() for line in body.split("\n"))
    return f"\n{what}\n{lines}\n"
