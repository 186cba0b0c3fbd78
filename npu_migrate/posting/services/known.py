"""The services by their names on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from npu_migrate.posting.client import Client
from npu_migrate.posting.services import gitcode, gitee, github, gitlab
from npu_migrate.posting.services.service import Service


class Kind(NamedTuple):
    """A service: its name for people, where its API is, and what it needs from a user."""

    name: str
    address: str
    tokens: tuple[str, ...]
    needs: str
    headers: Callable[[str], dict[str, str]]
    service: Callable[[Client, str], Service]


def kinds() -> Mapping[str, Kind]:
    """All services."""
    return {
        "github": Kind(
            github.NAME, github.ADDRESS, github.TOKENS, github.NEEDS, github.headers, github.GitHub
        ),
        "gitlab": Kind(
            gitlab.NAME, gitlab.ADDRESS, gitlab.TOKENS, gitlab.NEEDS, gitlab.headers, gitlab.GitLab
        ),
        "gitee": Kind(gitee.NAME, gitee.ADDRESS, gitee.TOKENS, gitee.NEEDS, gitee.headers, gitee.gitee),
        "gitcode": Kind(
            gitcode.NAME, gitcode.ADDRESS, gitcode.TOKENS, gitcode.NEEDS, gitcode.headers, gitcode.gitcode
        ),
    }
