"""What there is on a service: a pull request with its comments, and how each service tells of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from described_api import Refused, Service, description

from npu_migrate.posting.diffs import file_diff

ME, OTHER = 7, 8
HEAD = "a" * 40
BASE = "b" * 40


@dataclass
class Comment:
    """A comment on a line, or on the whole if it has no path."""

    number: int
    body: str
    path: str | None = None
    line: int | None = None
    author: int = ME
    resolved: bool = False
    sent: dict[str, Any] = field(default_factory=dict)


@dataclass
class Forge:
    """Pull request 5, which comes from a fork; `files` are paths with their old paths and diffs."""

    files: list[tuple[str, str, str]]
    head: str = HEAD
    state: str = "open"
    comments: list[Comment] = field(default_factory=list)
    may_resolve: bool = True
    others: list[tuple[int, str]] = field(default_factory=lambda: [(3, "c" * 40), (4, "d" * 40)])

    @property
    def open_lines(self) -> list[Comment]:
        return [one for one in self.comments if one.path and ":open:" in one.body]

    @property
    def whole(self) -> list[Comment]:
        return [one for one in self.comments if not one.path and one.author == ME]

    def add(self, body: str, path: str | None = None, line: int | None = None, **more: Any) -> Comment:
        comment = Comment(3_000_000_000 + len(self.comments), body, path, line, **more)
        self.comments.append(comment)
        return comment

    def of(self, number: str) -> Comment:
        found = [one for one in self.comments if number in (str(one.number), f"thread-{one.number}")]
        if not found:
            raise Refused(404, "Not Found")
        return found[0]

    def line(self, path: str, number: int) -> Any:
        for name, old, diff in self.files:
            if name == path and number in (lines := file_diff(old, diff).lines):
                return lines[number]
        raise Refused(422, f"{path}:{number} is not part of the diff")


def service_of(name: str, forge: Forge) -> Service:
    told: dict[str, Callable[[Forge, str, dict[str, str], Any], Any]] = {
        "github": github,
        "gitlab": gitlab,
        "gitee": v5,
        "gitcode": v5,
    }
    described = description(name)

    def operations(operation: str, values: dict[str, str], body: Any) -> Any:
        if values.get("project", "o/r") not in ("o/r", "12") or values.get("owner", "o") != "o":
            raise Refused(404, "Not Found")
        if operation == "graphql":
            return graphql(forge, described["graphql"], body)
        if values.get("number", "5") != "5":
            raise Refused(404, "Not Found")
        values["service"] = name
        return told[name](forge, operation, values, body)

    return Service(described, operations)


def pulls(forge: Forge) -> list[dict[str, Any]]:
    found = [*forge.others, (5, forge.head)]
    return [
        {"number": number, "state": forge.state, "head": {"sha": sha}, "base": {"sha": BASE}}
        for number, sha in found
    ]


def github(forge: Forge, operation: str, values: dict[str, str], body: Any) -> Any:
    if operation == "pull":
        return pulls(forge)[-1]
    if operation == "pulls":
        return pulls(forge)
    if operation == "files":
        return [
            {"filename": path, "status": "modified", "patch": diff, "previous_filename": old}
            for path, old, diff in forge.files
        ]
    if operation == "make_review":
        return make_review(forge, body)
    if operation == "make_whole":
        return {"id": forge.add(body["body"]).number, "body": body["body"]}
    comment = forge.of(values["comment"])
    assert (comment.path is not None) == (operation == "change_line")
    comment.body = body["body"]
    return {"id": comment.number, "body": comment.body}


def make_review(forge: Forge, body: dict[str, Any]) -> dict[str, Any]:
    if body["event"] != "COMMENT" or not body["body"] or body["commit_id"] != forge.head:
        raise Refused(422, "Unprocessable Entity")
    for one in body["comments"]:
        last = forge.line(one["path"], one["line"])
        first = forge.line(one["path"], one.get("start_line", one["line"]))
        if first.hunk != last.hunk or one.get("start_line", 0) >= one["line"] or one["side"] != "RIGHT":
            raise Refused(422, "start_line must be part of the same hunk, before line")
        if len(one["body"]) > 65_536:
            raise Refused(422, "body is too long")
    for one in body["comments"]:
        forge.add(one["body"], one["path"], one["line"], sent=one)
    return {"id": 1, "state": "COMMENTED"}


def graphql(forge: Forge, schema: dict[str, Any], body: dict[str, Any]) -> Any:
    """Answer the three questions; each field must be one that its type has."""
    query, variables = body["query"], body["variables"]
    walk(re.sub(r"\([^()]*\)", "", query), schema)
    unknown = {*re.findall(r"\$(\w+):", query)} ^ variables.keys()
    if unknown:
        raise Refused(400, f"variables that do not fit: {unknown}")
    if "mutation" in query:
        if not forge.may_resolve:
            message = "Resource not accessible by integration"
            return {"data": None, "errors": [{"type": "FORBIDDEN", "message": message}]}
        forge.of(variables["thread"]).resolved = "{resolveReviewThread" in query
        return {"data": {"resolveReviewThread": {"thread": {"isResolved": True}}}}
    if (variables["owner"], variables["name"], variables["number"]) != ("o", "r", 5):
        return {"data": None, "errors": [{"type": "NOT_FOUND", "message": "Could not resolve"}]}
    kind = "reviewThreads" if "reviewThreads" in query else "comments"
    nodes = [graphql_node(one) for one in forge.comments if (one.path is not None) == (kind != "comments")]
    begin = int(variables["after"] or 0)
    page = {"hasNextPage": begin + 2 < len(nodes), "endCursor": str(begin + 2)}
    found = {"nodes": nodes[begin : begin + 2], "pageInfo": page}
    return {"data": {"repository": {"pullRequest": {kind: found}}}}


def graphql_node(one: Comment) -> dict[str, Any]:
    comment = {
        "fullDatabaseId": str(one.number),
        "body": one.body,
        "viewerDidAuthor": one.author == ME,
    }
    if one.path is None:
        return comment
    return {"id": f"thread-{one.number}", "isResolved": one.resolved, "comments": {"nodes": [comment]}}


def walk(query: str, schema: dict[str, Any]) -> None:
    """Whether every field of a question exists where it stands."""
    if query.count("{") != query.count("}"):
        raise Refused(400, "braces do not match")
    types = [schema["types"]["root"]]
    last: Any = schema["types"]["root"]
    for word in re.findall(r"\w+|[{}]", query.partition("{")[2].rpartition("}")[0]):
        if word == "{":
            types.append(last)
        elif word == "}":
            types.pop()
        elif word not in types[-1]:
            raise Refused(400, f"no field {word}")
        else:
            last = schema["types"].get(types[-1][word], {})


def gitlab(forge: Forge, operation: str, values: dict[str, str], body: Any) -> Any:
    refs = {"base_sha": BASE, "start_sha": BASE, "head_sha": forge.head}
    state = {"open": "opened"}.get(forge.state, forge.state)
    if operation == "user":
        return {"id": ME, "username": "bot"}
    if operation == "pull":
        return {"iid": 5, "state": state, "sha": forge.head, "diff_refs": refs}
    if operation == "pulls":
        return [{"iid": one["number"], "state": state, "sha": one["head"]["sha"]} for one in pulls(forge)]
    if operation == "files":
        return [
            {"old_path": old, "new_path": path, "diff": diff, "new_file": False}
            for path, old, diff in forge.files
        ]
    if operation == "comments":
        return [discussion(one) for one in forge.comments]
    if operation == "make_line":
        return discussion(gitlab_line(forge, body, refs))
    if operation == "make_whole":
        return {"id": forge.add(body["body"]).number, "body": body["body"]}
    comment = forge.of(values.get("comment", values.get("thread", "")))
    if operation == "settle":
        if not forge.may_resolve:
            raise Refused(403, "Forbidden")
        comment.resolved = body["resolved"]
        return discussion(comment)
    comment.body = body["body"]
    return {"id": comment.number, "body": comment.body}


def gitlab_line(forge: Forge, body: dict[str, Any], refs: dict[str, str]) -> Comment:
    position = body["position"]
    line = forge.line(position["new_path"], position["new_line"])
    wanted = {(path, old) for path, old, _ in forge.files}
    if (position["new_path"], position["old_path"]) not in wanted or position.get("old_line") != line.old:
        raise Refused(400, '400 (Bad request) "Note {:line_code=>["can\'t be blank"]}" not given')
    if position["position_type"] != "text" or not refs.items() <= position.items():
        raise Refused(400, "position is invalid")
    return forge.add(body["body"], position["new_path"], position["new_line"], sent=position)


def discussion(one: Comment) -> dict[str, Any]:
    note = {
        "id": one.number,
        "body": one.body,
        "author": {"id": one.author},
        "resolvable": one.path is not None,
        "resolved": one.resolved,
    }
    return {"id": f"thread-{one.number}", "individual_note": one.path is None, "notes": [note]}


def v5(forge: Forge, operation: str, values: dict[str, str], body: Any) -> Any:
    if operation == "user":
        return {"id": ME if values["service"] == "gitee" else str(ME), "login": "bot"}
    if operation == "pull":
        return pulls(forge)[-1]
    if operation == "pulls":
        return pulls(forge)
    if operation == "files":
        return [v5_file(values["service"], *one) for one in forge.files]
    if operation == "comments":
        return [v5_comment(one) for one in forge.comments]
    if operation == "make_comment":
        return v5_make(forge, values["service"], body)
    comment = forge.of(values.get("comment", values.get("thread", "")))
    if operation == "settle":
        if not forge.may_resolve:
            raise Refused(403, "Forbidden")
        comment.resolved = body["resolved"]
        return {"id": values["thread"], "resolved": comment.resolved}
    comment.body = body["body"]
    return {"id": comment.number, "body": comment.body}


def v5_file(service: str, path: str, old: str, diff: str) -> dict[str, Any]:
    if service == "gitee":
        header = f"--- a/{old}\n+++ b/{path}\n"
        return {"filename": path, "status": "modified", "patch": {"diff": header + diff, "old_path": old}}
    return {"filename": path, "status": "modified", "patch": diff, "previous_filename": old}


def v5_make(forge: Forge, service: str, body: dict[str, Any]) -> dict[str, Any]:
    if ("path" in body) != ("position" in body):
        raise Refused(400, "path and position belong together")
    path, line = body.get("path"), body.get("position")
    if service == "gitee" and path is not None:
        found = [number for number in range(1, 100) if position_at(forge, path, number) == line]
        if len(found) != 1 or body.get("commit_id") != forge.head:
            raise Refused(400, "position is not valid")
        line = found[0]
    elif path is not None:
        forge.line(path, line or 0)
    comment = forge.add(body["body"], path, line, sent=body)
    return {"id": str(comment.number), "body": comment.body}


def position_at(forge: Forge, path: str, number: int) -> int | None:
    try:
        position: int = forge.line(path, number).position
    except Refused:
        return None
    return position


def v5_comment(one: Comment) -> dict[str, Any]:
    return {
        "id": one.number,
        "discussion_id": f"thread-{one.number}",
        "body": one.body,
        "path": one.path,
        "position": one.line,
        "resolved": one.resolved,
        "comment_type": "diff_comment" if one.path else "pr_comment",
        "user": {"id": one.author, "login": "bot" if one.author == ME else "person"},
    }
