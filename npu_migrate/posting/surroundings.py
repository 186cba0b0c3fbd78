"""What a pipeline says of itself in its environment: which service runs it, and for which pull request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_PULL_REF = re.compile(r"refs/pull/(\d+)/(?:merge|head)")


class Surroundings(NamedTuple):
    """What options need not say. Each may be unknown."""

    service: str | None = None
    repository: str | None = None
    number: int | None = None
    commit: str | None = None
    address: str | None = None


def surroundings(environment: Mapping[str, str]) -> Surroundings:
    """What the variables of GitHub Actions or of GitLab CI say.

    The commit of a GitHub workflow is left out: for a pull request it is a merge that nobody has pushed.
    """
    get = environment.get
    if get("GITHUB_ACTIONS") == "true":
        match = _PULL_REF.fullmatch(get("GITHUB_REF", ""))
        number = None if match is None else int(match[1])
        return Surroundings("github", get("GITHUB_REPOSITORY"), number, None, get("GITHUB_API_URL"))
    if get("GITLAB_CI") == "true":
        iid = get("CI_MERGE_REQUEST_IID", "")
        project = get("CI_MERGE_REQUEST_PROJECT_ID") or get("CI_PROJECT_ID")
        head = (get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or get("CI_COMMIT_SHA")) if iid else None
        number = int(iid) if iid.isdecimal() else None
        return Surroundings("gitlab", project, number, head, get("CI_API_V4_URL"))
    return Surroundings()
