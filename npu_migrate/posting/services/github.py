"""GitHub, also on a company's own server.

REST makes and changes comments. Threads, whether they are resolved, and which comments are the token's
own, are told by GraphQL alone. All new comments go into one review, so that they make one notification
and are there together or not at all.

Sources: GitHub REST API 2022-11-28 (pulls, pulls/comments, pulls/reviews, issues/comments), GitHub
GraphQL API (PullRequestReviewThread, resolveReviewThread).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from npu_migrate.posting.client import Access, Client, RefusedError
from npu_migrate.posting.diffs import FileDiff, file_diff
from npu_migrate.posting.placing import Wanted
from npu_migrate.posting.remarks import Posted, PostingError, Pull, Remark
from npu_migrate.posting.services.service import field, objects, only, text_of
from npu_migrate.posting.texts import as_posted

NAME = "GitHub"
ADDRESS = "https://api.github.com"
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
NEEDS = "the permission pull-requests: write"

_PULL = "query($owner:String!,$name:String!,$number:Int!,$after:String)"
_PAGE = "pageInfo{hasNextPage endCursor}"
_COMMENT = "fullDatabaseId body viewerDidAuthor"
_THREADS = (
    f"{_PULL}{{repository(owner:$owner,name:$name){{pullRequest(number:$number){{"
    f"reviewThreads(first:100,after:$after){{nodes{{id isResolved comments(first:1){{nodes{{{_COMMENT}}}}}}}"
    f"{_PAGE}}}}}}}}}"
)
_COMMENTS = (
    f"{_PULL}{{repository(owner:$owner,name:$name){{pullRequest(number:$number){{"
    f"comments(first:100,after:$after){{nodes{{{_COMMENT}}}{_PAGE}}}}}}}}}"
)
_SETTLE = {
    True: "mutation($thread:ID!){resolveReviewThread(input:{threadId:$thread}){thread{isResolved}}}",
    False: "mutation($thread:ID!){unresolveReviewThread(input:{threadId:$thread}){thread{isResolved}}}",
}
_STATUS = {"FORBIDDEN": 403, "NOT_FOUND": 404}


def headers(token: str) -> dict[str, str]:
    """How a request says whose it is."""
    return {
        "Authorization": f"Bearer {token}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }


class GitHub:
    """A repository on GitHub, by its ``owner/name``."""

    def __init__(self, client: Client, repository: str) -> None:
        self._client = client
        self._owner, _, self._name = repository.partition("/")
        self._path = f"/repos/{quote(self._owner, safe='')}/{quote(self._name, safe='')}"

    def pull(self, number: int) -> Pull:
        """The pull request with this number."""
        return _pull(self._client.get(f"{self._path}/pulls/{number}"))

    def pulls_at(self, commit: str) -> Sequence[Pull]:
        """The open pull requests that end in this commit, those from forks too."""
        pulls = map(_pull, self._client.pages(f"{self._path}/pulls", state="open"))
        return [one for one in pulls if one.head == commit]

    def diff(self, pull: Pull) -> Mapping[str, FileDiff]:
        """The files of the pull request; of those that are too large GitHub shows no lines."""
        return {
            field(one, "filename"): file_diff(
                text_of(one.get("previous_filename") or field(one, "filename")), text_of(one.get("patch"))
            )
            for one in self._client.pages(f"{self._path}/pulls/{pull.number}/files")
        }

    def existing(self, pull: Pull) -> Sequence[Posted]:
        """Our comments: those that begin threads, and those on the whole."""
        found = []
        for thread in self._nodes(_THREADS, "reviewThreads", pull):
            for comment in objects(field(thread, "comments", "nodes")):
                found.append(_posted(comment, field(thread, "id"), bool(field(thread, "isResolved"))))
        found += [_posted(comment, "", False) for comment in self._nodes(_COMMENTS, "comments", pull)]
        return only(found)

    def dress(self, remark: Remark, file: FileDiff) -> str:
        """The text as it is: a report writes suggestions as GitHub wants them."""
        return remark.body

    def create(self, pull: Pull, wanted: Sequence[Wanted]) -> None:
        """Make one review of all new comments."""
        count = len(wanted)
        content = {
            "commit_id": pull.head,
            "event": "COMMENT",
            "body": f"npu-migrate has {count} new comment{'' if count == 1 else 's'} on this change.",
            "comments": [_comment(one) for one in wanted],
        }
        self._client.make(f"{self._path}/pulls/{pull.number}/reviews", content)

    def create_summary(self, pull: Pull, body: str) -> None:
        """Make a comment on the whole."""
        self._client.make(f"{self._path}/issues/{pull.number}/comments", {"body": body})

    def update(self, pull: Pull, posted: Posted, body: str) -> None:
        """Give a comment another text."""
        kind = "pulls" if posted.thread else "issues"
        self._client.change("PATCH", f"{self._path}/{kind}/comments/{posted.comment}", {"body": body})

    def settle(self, pull: Pull, posted: Posted, settled: bool) -> None:
        """Resolve a thread, or open it again. For this a token needs the permission contents: write."""
        if posted.thread:
            self._ask(_SETTLE[settled], {"thread": posted.thread})

    def _nodes(self, query: str, connection: str, pull: Pull) -> Iterator[Any]:
        variables = {"owner": self._owner, "name": self._name, "number": pull.number, "after": None}
        while True:
            page = field(self._ask(query, variables), "repository", "pullRequest", connection)
            yield from field(page, "nodes")
            if not field(page, "pageInfo", "hasNextPage"):
                return
            variables = {**variables, "after": field(page, "pageInfo", "endCursor")}

    def _ask(self, query: str, variables: Mapping[str, Any]) -> Any:
        """What GraphQL answers. None of the questions makes anything, so all may be repeated."""
        address = graphql_address(self._client.access)
        answer = self._client.change("POST", address, {"query": query, "variables": dict(variables)})
        errors = answer.get("errors") if isinstance(answer, dict) else None
        if errors:
            (first, *_) = objects(errors)
            kind, message = text_of(first.get("type")), text_of(first.get("message"))
            text = f"{NAME} refuses a question: {' '.join(message.split())[:300] or kind}"
            if kind in _STATUS:
                raise RefusedError(text, _STATUS[kind])
            raise PostingError(text)
        return field(answer, "data")


def graphql_address(access: Access) -> str:
    """Where GraphQL is: on a company's own server beside the REST API, not below it."""
    return f"{access.address.removesuffix('/v3')}/graphql"


def _pull(answer: Any) -> Pull:
    return Pull(
        int(field(answer, "number")), str(field(answer, "head", "sha")), field(answer, "state") == "open"
    )


def _posted(comment: Any, thread: str, settled: bool) -> Posted | None:
    if not field(comment, "viewerDidAuthor"):
        return None
    return as_posted(str(field(comment, "fullDatabaseId")), thread, text_of(field(comment, "body")), settled)


def _comment(wanted: Wanted) -> dict[str, Any]:
    remark = wanted.remark
    several = {"start_line": remark.first, "start_side": "RIGHT"} if remark.first < remark.last else {}
    return {"path": remark.path, **several, "line": remark.last, "side": "RIGHT", "body": wanted.body}
