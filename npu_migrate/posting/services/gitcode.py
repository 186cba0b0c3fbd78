"""GitCode. It names the line of a comment by its number in the new file, and threads can be resolved.

Sources: GitCode OpenAPI v5 (pulls, pulls/comments, pulls/files, user).
"""

from __future__ import annotations

from npu_migrate.posting.client import Client
from npu_migrate.posting.services.v5 import V5, Dialect

NAME = "GitCode"
ADDRESS = "https://api.gitcode.com/api/v5"
TOKENS = ("GITCODE_TOKEN",)
NEEDS = "the right to comment on pull requests"

_DIALECT = Dialect(position=lambda number, _: number, names_commit=False, has_threads=True)


def headers(token: str) -> dict[str, str]:
    """How a request says whose it is; not in the address, which ends up in logs."""
    return {"Authorization": f"Bearer {token}"}


def gitcode(client: Client, repository: str) -> V5:
    """A repository on GitCode, by its ``owner/name``."""
    return V5(client, repository, _DIALECT)
