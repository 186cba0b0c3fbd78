"""GitLab, also on a company's own server.

A comment on a line is a discussion. Its place names the line in the new file and, if the change did not
touch it, also its number in the old one: without that GitLab answers that the line is not valid. A
suggestion says how many lines above its own it replaces.

Sources: GitLab REST API v4 (merge_requests, discussions, notes), GitLab documentation of suggestions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from npu_migrate.posting.client import Client
from npu_migrate.posting.diffs import FileDiff, file_diff
from npu_migrate.posting.placing import Wanted
from npu_migrate.posting.remarks import Posted, PostingError, Pull, Remark
from npu_migrate.posting.services.service import field, objects, only, text_of
from npu_migrate.posting.texts import as_posted, instead_of_suggestion, with_suggestion

NAME = "GitLab"
ADDRESS = "https://gitlab.com/api/v4"
TOKENS = ("GITLAB_TOKEN",)
NEEDS = "the scope api and the role Reporter or a higher one"

_MOST_LINES = 100
"""How many lines above its own a suggestion may replace."""

_REFS = ("base_sha", "start_sha", "head_sha")


def headers(token: str) -> dict[str, str]:
    """How a request says whose it is."""
    return {"PRIVATE-TOKEN": token}


class GitLab:
    """A project on GitLab, by its path or its number."""

    def __init__(self, client: Client, repository: str) -> None:
        self._client = client
        self._path = f"/projects/{quote(repository, safe='')}/merge_requests"

    def pull(self, number: int) -> Pull:
        """The merge request with this number."""
        return _pull(self._client.get(f"{self._path}/{number}"))

    def pulls_at(self, commit: str) -> Sequence[Pull]:
        """The open merge requests that end in this commit, those from forks too."""
        found = self._client.pages(self._path, state="opened")
        return [self.pull(int(field(one, "iid"))) for one in found if field(one, "sha") == commit]

    def diff(self, pull: Pull) -> Mapping[str, FileDiff]:
        """The files of the merge request; of those that are too large GitLab shows no lines."""
        return {
            field(one, "new_path"): file_diff(text_of(field(one, "old_path")), text_of(one.get("diff")))
            for one in self._client.pages(f"{self._path}/{pull.number}/diffs")
        }

    def existing(self, pull: Pull) -> Sequence[Posted]:
        """Our comments, each the first of its discussion."""
        me = field(self._client.get("/user"), "id")
        found = []
        for discussion in self._client.pages(f"{self._path}/{pull.number}/discussions"):
            notes = objects(field(discussion, "notes"))
            if not notes or field(notes[0], "author", "id") != me:
                continue
            alone = bool(discussion.get("individual_note"))
            thread = "" if alone else str(field(discussion, "id"))
            note = notes[0]
            body = text_of(field(note, "body"))
            found.append(as_posted(str(field(note, "id")), thread, body, bool(note.get("resolved"))))
        return only(found)

    def dress(self, remark: Remark, file: FileDiff) -> str:
        """The text with a suggestion that counts from its last line, on which the comment stands."""
        above = remark.last - remark.first

        def suggestion(fence: str, code: str) -> str:
            if above > _MOST_LINES:
                return instead_of_suggestion(remark.body)
            return f"{fence}suggestion:-{above}+0\n{code}\n{fence}"

        return with_suggestion(remark.body, suggestion)

    def create(self, pull: Pull, wanted: Sequence[Wanted]) -> None:
        """Make a discussion for each comment."""
        for one in wanted:
            if not pull.refs:
                raise PostingError(
                    f"{NAME} has not prepared the diff of merge request {pull.number} yet; try again"
                )
            content = {"body": one.body, "position": _position(pull, one)}
            self._client.make(f"{self._path}/{pull.number}/discussions", content)

    def create_summary(self, pull: Pull, body: str) -> None:
        """Make a comment on the whole. It is no thread, so nobody has to resolve it."""
        self._client.make(f"{self._path}/{pull.number}/notes", {"body": body})

    def update(self, pull: Pull, posted: Posted, body: str) -> None:
        """Give a comment another text."""
        path = f"{self._path}/{pull.number}"
        if posted.thread:
            path += f"/discussions/{posted.thread}"
        self._client.change("PUT", f"{path}/notes/{posted.comment}", {"body": body})

    def settle(self, pull: Pull, posted: Posted, settled: bool) -> None:
        """Resolve a discussion, or open it again."""
        if posted.thread:
            path = f"{self._path}/{pull.number}/discussions/{posted.thread}"
            self._client.change("PUT", path, {"resolved": settled})


def _pull(answer: Any) -> Pull:
    refs = answer.get("diff_refs") if isinstance(answer, dict) else None
    known = {key: str(field(refs, key)) for key in _REFS} if refs else {}
    return Pull(
        int(field(answer, "iid")), str(field(answer, "sha")), field(answer, "state") == "opened", known
    )


def _position(pull: Pull, wanted: Wanted) -> dict[str, Any]:
    remark, old = wanted.remark, wanted.file.lines[wanted.remark.last].old
    return {
        "position_type": "text",
        **pull.refs,
        "old_path": wanted.file.old_path,
        "new_path": remark.path,
        "new_line": remark.last,
        **({} if old is None else {"old_line": old}),
    }
