"""The API that Gitee and GitCode share. Neither has suggestions, so a change is shown as a diff."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from npu_migrate.posting.client import Client
from npu_migrate.posting.diffs import FileDiff, Line, file_diff
from npu_migrate.posting.placing import Wanted
from npu_migrate.posting.remarks import Posted, Pull, Remark
from npu_migrate.posting.services.service import field, objects, only, text_of
from npu_migrate.posting.texts import as_posted, with_suggestion

CR = "\r"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs: how a line is named, if the commit is named too, and if there are threads to resolve."""

    position: Callable[[int, Line], int]
    names_commit: bool
    has_threads: bool


class V5:
    """A repository, by its ``owner/name``."""

    def __init__(self, client: Client, repository: str, dialect: Dialect) -> None:
        self._client = client
        self._dialect = dialect
        owner, _, name = repository.partition("/")
        self._path = f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}/pulls"

    def pull(self, number: int) -> Pull:
        """The pull request with this number."""
        return _pull(self._client.get(f"{self._path}/{number}"))

    def pulls_at(self, commit: str) -> Sequence[Pull]:
        """The open pull requests that end in this commit, those from forks too."""
        pulls = map(_pull, self._client.pages(self._path, state="open"))
        return [one for one in pulls if one.head == commit]

    def diff(self, pull: Pull) -> Mapping[str, FileDiff]:
        """The files of the pull request, which come on one page; very many are not all there."""
        return {
            text_of(field(one, "filename")): file_diff(_old_path(one), _patch(one))
            for one in objects(self._client.get(f"{self._path}/{pull.number}/files"))
        }

    def existing(self, pull: Pull) -> Sequence[Posted]:
        """Our comments, on lines and on the whole."""
        me = str(field(self._client.get("/user"), "id"))
        return only(
            as_posted(
                str(field(one, "id")),
                text_of(one.get("discussion_id")) if self._dialect.has_threads else "",
                text_of(field(one, "body")),
                one.get("resolved") is True,
            )
            for one in self._client.pages(f"{self._path}/{pull.number}/comments")
            if str(field(one, "user", "id")) == me
        )

    def dress(self, remark: Remark, file: FileDiff) -> str:
        """The text with a diff in place of its suggestion."""
        numbers = range(remark.first, remark.last + 1)

        def diff(fence: str, code: str) -> str:
            old = [f"-{file.lines[number].text.removesuffix(CR)}" for number in numbers]
            new = [f"+{line}" for line in code.split("\n")] if code else []
            longest = max((len(run) for line in old for run in re.findall("`+", line)), default=0)
            around = "`" * max(len(fence), longest + 1)
            return "\n".join([f"{around}diff", *old, *new, around])

        return with_suggestion(remark.body, diff)

    def create(self, pull: Pull, wanted: Sequence[Wanted]) -> None:
        """Make comments, each on the last of its lines."""
        for one in wanted:
            line = one.remark.last
            content = {
                "body": one.body,
                "path": one.remark.path,
                "position": self._dialect.position(line, one.file.lines[line]),
                **({"commit_id": pull.head} if self._dialect.names_commit else {}),
            }
            self._client.make(f"{self._path}/{pull.number}/comments", content)

    def create_summary(self, pull: Pull, body: str) -> None:
        """Make a comment on the whole."""
        self._client.make(f"{self._path}/{pull.number}/comments", {"body": body})

    def update(self, pull: Pull, posted: Posted, body: str) -> None:
        """Give a comment another text."""
        self._client.change("PATCH", f"{self._path}/comments/{posted.comment}", {"body": body})

    def settle(self, pull: Pull, posted: Posted, settled: bool) -> None:
        """Resolve a thread, or open it again, where there are threads."""
        if posted.thread:
            path = f"{self._path}/{pull.number}/comments/{quote(posted.thread, safe='')}"
            self._client.change("PUT", path, {"resolved": settled})


def _pull(answer: Any) -> Pull:
    return Pull(
        int(field(answer, "number")), str(field(answer, "head", "sha")), field(answer, "state") == "open"
    )


def _patch(file: Any) -> str:
    """The diff of a file, which is a text or lies in an object."""
    patch = file.get("patch")
    return text_of(patch.get("diff")) if isinstance(patch, dict) else text_of(patch)


def _old_path(file: Any) -> str:
    patch = file.get("patch")
    within = patch.get("old_path") if isinstance(patch, dict) else None
    return text_of(within or file.get("previous_filename") or file.get("filename"))
