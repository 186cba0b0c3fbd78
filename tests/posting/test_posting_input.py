"""Options, pipelines, and reports that strangers have made."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from described_api import Service, serving
from forges import HEAD, Forge, service_of
from posting_runs import FILES, PACKAGE, error_line, findings, forge_of, report, run

from npu_migrate.posting.client import Access
from npu_migrate.posting.services.github import graphql_address
from npu_migrate.posting.texts import disarmed

MARK = f"<!-- npu-migrate:{'0' * 32} -->"


@pytest.fixture
def forge() -> Forge:
    return forge_of(FILES)


@pytest.fixture
def gitlab(forge: Forge) -> Iterator[Service]:
    made = service_of("gitlab", forge)
    with serving(made):
        yield made


def review(body: str, **more: Any) -> bytes:
    comment = {"path": "train.py", "line": 4, "side": "RIGHT", "body": body, **more}
    return json.dumps({"event": "COMMENT", "body": "x", "comments": [comment]}).encode()


def test_a_strangers_report_gives_no_orders(gitlab: Service, forge: Forge) -> None:
    """GitLab obeys lines that begin with a slash, with the rights of the token."""
    body = (
        f"hello @team\n/approve\n  /merge\n\n```\n/close\n```\n<!-- npu-migrate-review:summary:1 -->\n{MARK}"
    )
    assert run(gitlab, review(body)).code == 0
    (comment,) = forge.open_lines
    assert not any(line.lstrip(" \t").startswith("/") for line in comment.body.splitlines())
    assert "@team" not in comment.body
    assert "summary" not in comment.body


def test_a_suggestion_with_an_order_is_left_out() -> None:
    body = f"a\n\n```suggestion\nx = 1\n/merge\n```\n\n{MARK}"
    assert "/merge" not in disarmed(body)
    assert "suggestion" not in disarmed(body)


def test_an_honest_report_stays_as_it_is() -> None:
    for one in findings(report(FILES)):
        assert disarmed(one["body"]) == one["body"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the report is not JSON"),
        (b"\xff", "the report is not JSON"),
        (b"[]", "of an unknown form"),
        (b'{"version": 2, "findings": []}', "of an unknown form"),
        (b"[" * 100_000, "the report is not JSON"),
        (b'{"event": "", "body": 1, "comments": []}', "damaged: body is not a text"),
        (b'{"event": "", "body": "", "comments": {}}', "damaged: comments is not a list"),
        (review("no mark"), "damaged: a comment has no mark of a finding"),
        (review(MARK, line=0), "damaged: line is not the number of a line"),
        (review(MARK, line=True), "damaged: line is not the number of a line"),
        (review(MARK, start_line=9), "damaged: a comment ends before it begins"),
        (review(MARK, path=None), "damaged: path is not a text"),
        (review(MARK + "x" * 100_000), "damaged: body is longer than "),
        (b'{"version": 1, "findings": [1]}', "damaged: a finding is not an object"),
        (b'{"version": 1, "findings": [{}]}', "damaged: fingerprint is not a text"),
        (b" " * 10_000_001, "the report is larger than 10 MB"),
    ],
    ids=range(16),
)
def test_a_report_that_is_none_is_refused(data: bytes, said: str) -> None:
    assert said in error_line(run(None, data))


def test_the_whole_list_is_posted_however_long(gitlab: Service, forge: Forge) -> None:
    """Findings without a line of the diff: several comments, if one is too short for them."""
    document = json.loads(report(FILES, "json"))
    (one, *_) = document["findings"]
    document["findings"] = [
        {**one, "path": f"far/{number}.py", "fingerprint": f"{number:032x}"} for number in range(700)
    ]
    data = json.dumps(document).encode()
    parts = run(gitlab, data).counts[0]
    assert parts > 1
    text = "".join(comment.body for comment in forge.whole)
    assert all(f"far/{number}.py:" in text and f"{number:032x}" in text for number in range(700))
    assert all(len(comment.body) < 65_536 for comment in forge.whole)
    assert run(gitlab, data).counts == (0, 0, 0, parts)
    assert run(gitlab, report(FILES)).counts[1] == parts
    assert "lists nothing here any more" in forge.whole[-1].body


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "say with --service where to post: github, gitlab, gitee, gitcode"),
        (("--service", "github"), "say with --repository which one: OWNER/NAME"),
        (("--service", "github", "--repository", "x"), "--repository wants OWNER/NAME, not x"),
        (("--service", "github", "--repository", "x/.."), "--repository wants OWNER/NAME, not x/.."),
        (("--service", "github", "--repository", "o/r"), "say which pull request with --pull-request"),
        (
            ("--service", "github", "--repository", "o/r", "--commit", "HEAD"),
            "--commit wants the whole name of a commit, not HEAD",
        ),
        (
            ("--service", "gitlab", "--repository", "o/r", "--pull-request", "1", "--api", "http://x.org"),
            "over http everyone could read the token",
        ),
        (
            ("--service", "gitlab", "--repository", "o/r", "--pull-request", "1", "--api", "x"),
            "--api wants the address of an API",
        ),
    ],
)
def test_wrong_options_are_one_line(options: tuple[str, ...], said: str) -> None:
    assert said in error_line(run(None, report(FILES), *options))


def test_a_service_that_cannot_be_reached_is_one_line() -> None:
    options = ("--service", "gitee", "--repository", "o/r", "--pull-request", "1")
    fast = "from npu_migrate.posting import client; client.ATTEMPTS = 1\n"
    main = "from npu_migrate.posting.command import main; main()"
    ran = run(None, report(FILES), *options, "--api", "http://127.0.0.1:9", code=fast + main)
    assert error_line(ran).startswith("Gitee cannot be reached at http://127.0.0.1:9: ")


def test_a_token_with_a_line_end_inside_is_refused() -> None:
    options = ("--service", "gitee", "--repository", "o/r", "--pull-request", "1")
    ran = run(None, report(FILES), *options, environment={"NPU_MIGRATE_TOKEN": "a\nb"})
    assert error_line(ran) == "NPU_MIGRATE_TOKEN holds characters that are in no token"


def test_without_httpx_it_says_what_to_install() -> None:
    without = "import sys; sys.modules['httpx'] = None\n"
    ran = run(None, report(FILES), code=f"{without}from npu_migrate.posting.command import main; main()")
    assert error_line(ran).endswith('install it with: pip install "npu-migrate[review]"')


def test_the_command_starts_without_httpx() -> None:
    code = "import sys; import npu_migrate.posting.command; assert 'httpx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, check=True)


def test_a_report_that_is_not_there_is_one_line() -> None:
    code = "import sys; sys.argv[1:] = ['nowhere.json']\n"
    ran = run(None, b"", code=f"{code}from npu_migrate.posting.command import main; main()")
    assert error_line(ran) == "cannot read nowhere.json: No such file or directory"


def test_github_actions_says_where(forge: Forge) -> None:
    made = service_of("github", forge)
    with serving(made) as address:
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_REF": "refs/pull/5/merge",
            "GITHUB_SHA": "0" * 40,
            "GITHUB_API_URL": address,
            "NPU_MIGRATE_TOKEN": "",
            "GITHUB_TOKEN": "secret-token",
        }
        ran = run(None, report(FILES), environment=variables)
    assert (ran.code, len(forge.open_lines)) == (0, len(findings(report(FILES)))), ran.err


@pytest.mark.parametrize(
    ("address", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://host.example/api/v3", "https://host.example/api/graphql"),
    ],
)
def test_graphql_is_beside_the_api_of_a_companys_server(address: str, graphql: str) -> None:
    assert graphql_address(Access("GitHub", address, {}, "X", "y")) == graphql


def test_the_commit_of_a_pipeline_is_not_that_of_another_pull_request(gitlab: Service) -> None:
    variables = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "6", "CI_COMMIT_SHA": "0" * 40}
    ran = run(gitlab, report(FILES), environment=variables)
    assert (ran.code, ran.counts[0]) == (0, len(findings(report(FILES))))


def test_half_a_character_does_no_harm(forge: Forge) -> None:
    (path, old, diff), *others = forge.files
    forge.files = [(path, old, diff.replace("dataset.make", "dataset\ud800.make")), *others]
    made = service_of("gitee", forge)
    with serving(made):
        assert run(made, report(FILES)).counts[0] == len(findings(report(FILES)))


def test_gitlab_ci_says_where(gitlab: Service, forge: Forge) -> None:
    variables = {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_PROJECT_ID": "12",
        "CI_PROJECT_ID": "99",
        "CI_MERGE_REQUEST_IID": "5",
        "CI_COMMIT_SHA": "0" * 40,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": HEAD,
        "CI_API_V4_URL": gitlab.address,
    }
    ran = run(None, report(FILES), environment=variables)
    assert (ran.code, len(forge.open_lines)) == (0, len(findings(report(FILES)))), ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the report to post, or - for standard input (see --help)"),
        (["--servce", "github", "a.json"], "No such option '--servce'"),
        (["--service", "bitbucket", "a.json"], "Invalid value for '--service'"),
        (["--pull-request", "0", "a.json"], "Invalid value for '--pull-request'"),
        (["a.json", "b.json"], "Got unexpected extra argument (b.json)"),
        (["none.json"], "cannot read none.json: No such file or directory"),
    ],
)
def test_wrong_use_takes_one_line(arguments: list[str], said: str) -> None:
    start = "from npu_migrate.posting.command import main; main()"
    command = [sys.executable, "-c", start, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"npu-migrate-review: error: {said}")
    assert done.stderr.count("\n") == 1
