"""The functions of TensorFlow that a tree calls, part by part."""

from __future__ import annotations

from dataclasses import replace

from npu_migrate.engine.analysis import Splitter
from npu_migrate.engine.job import Job
from npu_migrate.engine.request import rule_options, source_folders
from npu_migrate.findings import ApiUse
from npu_migrate.rules.api_use import uses_in


def api_uses(job: Job) -> tuple[ApiUse, ...]:
    """What the files of a job call, in order of the names; the paths are as users see them."""
    tree = job.discovery.tree
    split = Splitter(source_folders(job.settings, tree.root), rule_options(job.settings))
    found: dict[str, ApiUse] = {}
    for part in split(tree):
        for use in uses_in(part.analyser().project(tree)):
            known = found.get(use.name)
            places = use.places if known is None else (*known.places, *use.places)
            found[use.name] = replace(use, places=places)
    return tuple(
        replace(use, places=tuple((job.display(key), line) for key, line in sorted(use.places)))
        for _, use in sorted(found.items())
    )
