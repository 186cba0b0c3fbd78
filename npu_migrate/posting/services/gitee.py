"""Gitee. It counts the line of a comment within the diff of the file, and its API cannot resolve a comment.

Sources: Gitee OpenAPI v5 (pulls, pulls/comments, pulls/files, user).
"""

from __future__ import annotations

from npu_migrate.posting.client import Client
from npu_migrate.posting.services.v5 import V5, Dialect

NAME = "Gitee"
ADDRESS = "https://gitee.com/api/v5"
TOKENS = ("GITEE_TOKEN",)
NEEDS = "the scopes user_info, pull_requests and notes"

_DIALECT = Dialect(position=lambda _, line: line.position, names_commit=True, has_threads=False)


def headers(token: str) -> dict[str, str]:
    """How a request says whose it is; not in the address, which ends up in logs."""
    return {"Authorization": f"Bearer {token}"}


def gitee(client: Client, repository: str) -> V5:
    """A repository on Gitee, by its ``owner/name``."""
    return V5(client, repository, _DIALECT)
