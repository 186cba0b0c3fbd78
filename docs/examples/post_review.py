"""Posts what npu-migrate finds in a pull request on Gitee or GitCode, as one comment.

Run it in a checkout of the pull request, with the history that leads to its target branch. It reads

    API           https://gitee.com/api/v5 or https://api.gitcode.com/api/v5
    REPOSITORY    owner/name
    TOKEN         an access token that may comment on pull requests
    PULL_REQUEST  the number; without it, the open pull request that ends in the commit that is checked out

Findings that an earlier comment tells are not told again. Nothing new: nothing is posted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

PULLS = f"{os.environ['API']}/repos/{os.environ['REPOSITORY']}/pulls"
PAGE = 100


def main() -> int:
    """Find the pull request, ask npu-migrate, post."""
    pull = find_pull(os.environ.get("PULL_REQUEST", ""))
    with tempfile.TemporaryDirectory() as folder:
        comments = Path(folder, "comments.json")
        comments.write_text(json.dumps(all_pages(f"{PULLS}/{pull['number']}/comments")), encoding="utf-8")
        review = Path(folder, "review.json")
        command = ["npu-migrate", ".", "--changed-since", pull["base"]["sha"], "--fail-on", "never"]
        command += ["--format", "github-review", "--existing", str(comments), "--output-file", str(review)]
        subprocess.run(command, check=True)
        document = json.loads(review.read_text(encoding="utf-8"))
    if document["body"]:
        ask(f"{PULLS}/{pull['number']}/comments", {"body": text_of(document)})
    return 0


def find_pull(number: str) -> dict[str, Any]:
    """The pull request with this number, or the open one whose last commit is checked out."""
    if number:
        return ask(f"{PULLS}/{number}")
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    found = [one for one in all_pages(f"{PULLS}?state=open") if one["head"]["sha"] == head.strip()]
    if len(found) != 1:
        sys.exit(f"{len(found)} open pull requests end in {head.strip()}; set PULL_REQUEST")
    return found[0]


def text_of(review: dict[str, Any]) -> str:
    """The comments of a review as one text. There is no button for a suggestion, so it is shown as code."""
    parts = [review["body"]]
    for comment in review["comments"]:
        lines = f"{comment.get('start_line', comment['line'])}-{comment['line']}"
        parts += [
            "---",
            f"`{comment['path']}`, {lines}:",
            comment["body"].replace("```suggestion", "```python"),
        ]
    return "\n\n".join(parts)


def all_pages(address: str) -> list[dict[str, Any]]:
    """A list of which the platform gives one page at a time."""
    found: list[dict[str, Any]] = []
    page = 1
    while True:
        mark = "&" if "?" in address else "?"
        one = ask(f"{address}{mark}page={page}&per_page={PAGE}")
        found += one
        if len(one) < PAGE:
            return found
        page += 1


def ask(address: str, content: dict[str, str] | None = None) -> Any:
    """What the platform answers; with `content`, to a request that makes something."""
    token = {"access_token": os.environ["TOKEN"]}
    mark = "&" if "?" in address else "?"
    request = urllib.request.Request(
        f"{address}{mark}{urllib.parse.urlencode(token)}",
        data=None if content is None else json.dumps({**token, **content}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
