"""The pipelines and the script of docs/review.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from forms.review import marks
from review_repository import ISOLATED, PACKAGE, Repository, new_repository
from test_changes import MORE, ONE_SHOT

from npu_migrate.cli import command

EXAMPLES = PACKAGE / "docs" / "examples"
PIPELINES = sorted(EXAMPLES.glob("*.yml"))


@pytest.mark.parametrize("file", PIPELINES, ids=lambda file: file.name)
def test_every_pipeline_is_yaml_and_its_options_exist(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text("utf-8")), dict)
    known = {option for parameter in command.params for option in parameter.opts}
    commands = re.findall(r"npu-migrate \..*?(?:\n\s*-|\n\s*if|\Z)", file.read_text("utf-8"), re.DOTALL)
    used = {option for one in commands for option in re.findall(r"(?<!\w)--[a-z-]+", one)}
    assert used <= known
    assert bool(used) == (file.stem in ("github-review", "gitlab-review"))


@pytest.mark.parametrize(
    ("name", "schema", "options"),
    [
        ("github-review.yml", "vendor.github-workflows", ()),
        ("gitlab-review.yml", "vendor.gitlab-ci", ("--data-transform", "gitlab-ci")),
    ],
)
def test_the_form_is_valid(name: str, schema: str, options: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *options]
    done = subprocess.run([*words, str(EXAMPLES / name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Platform(BaseHTTPRequestHandler):
    """As much of the API of Gitee and GitCode as the script uses; `server.data` holds what there is."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        assert query["access_token"] == ["secret"]
        found = self.server.data[address.path]  # type: ignore[attr-defined]
        if isinstance(found, list):
            page, size = int(query["page"][0]), int(query["per_page"][0])
            found = found[(page - 1) * size : page * size]
        self._answer(200, found)

    def do_POST(self) -> None:
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert content.pop("access_token") == "secret"
        self.server.data[urlsplit(self.path).path].append(content)  # type: ignore[attr-defined]
        self._answer(201, content)

    def _answer(self, code: int, content: Any) -> None:
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def platform(data: dict[str, Any]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Platform)
    server.data = data  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def post(repository: Repository, address: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the documentation, with a command ``npu-migrate`` on its path."""
    programs = repository.folder.parent / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "npu-migrate"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m npu_migrate "$@"\n')
    program.chmod(0o755)
    variables = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PACKAGE),
        "API": address,
        "REPOSITORY": "o/r",
        "TOKEN": "secret",
        "no_proxy": "*",
    }
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "post_review.py")],
        cwd=repository.folder,
        env={**os.environ, **ISOLATED, **variables, **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.needs("git")
def test_the_script_posts_what_is_new_once(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "repository")
    base = repository.commit({"train.py": ONE_SHOT})
    head = repository.commit({"train.py": ONE_SHOT + MORE})
    pull = {"number": 7, "base": {"sha": base}, "head": {"sha": head}}
    comments: list[dict[str, str]] = [{"body": f"comment {number}"} for number in range(150)]
    others = [{"number": 8, "base": {"sha": base}, "head": {"sha": base}}]
    data = {
        "/repos/o/r/pulls": [*others, pull],
        "/repos/o/r/pulls/7": pull,
        "/repos/o/r/pulls/7/comments": comments,
    }
    with platform(data) as address:
        assert post(repository, address).returncode == 0
        assert len(comments) == 151
        assert len(marks(comments[-1]["body"])) == 1
        assert "`train.py`, 14-17:" in comments[-1]["body"]
        assert "```python\n" in comments[-1]["body"]
        assert post(repository, address, PULL_REQUEST="7").returncode == 0
        assert len(comments) == 151
        repository.commit({"train.py": ONE_SHOT})
        ran = post(repository, address)
        assert ran.returncode == 1
        assert "0 open pull requests end in " in ran.stderr
