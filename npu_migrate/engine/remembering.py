"""Plans of earlier runs: a second run over the same files reads and hashes them, and that is all.

A plan is kept under a hash of everything that decides it: this tool, the settings, and of each file whether
it is a target, its path below the root and its content. Times and the place of the root do not count.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from npu_migrate.cache.store import Store
from npu_migrate.engine.plan_text import plan_from_text, plan_to_text
from npu_migrate.engine.run import Job, Plan
from npu_migrate.settings import Settings
from npu_migrate.sources.source import Source
from npu_migrate.sources.tree import SourceTree

Digests = dict[str, bytes]
"""The hash of each file's content, by key; empty for one that cannot be read."""


@dataclass(frozen=True, slots=True)
class PlanMemory:
    """A `Recall` that keeps plans in `store`, made by the tool with this `identity`.

    `complain` is told why a plan could not be kept.
    """

    store: Store
    identity: bytes
    complain: Callable[[str], None]

    def __call__(self, job: Job, make: Callable[[], Plan]) -> Plan:
        """The plan of `job`: the one that is kept, else the one that `make` makes."""
        tree = job.discovery.tree
        prefix = f"{tree.root.as_posix().rstrip('/')}/"
        if not all(key.startswith(prefix) for key in (*tree.targets, *tree.context)):
            return make()
        digests = digests_of(tree)
        name = f"{_question(job, digests, prefix, self.identity)}.plan"
        kept = self.store.read(name)
        if kept is not None:
            return plan_from_text(kept, prefix)
        plan = make()
        # Files that change while they are analysed would leave a plan under the hashes of what they were.
        if digests_of(tree) == digests:
            trouble = self.store.write(name, plan_to_text(plan, prefix))
            if trouble is not None:
                self.complain(trouble)
        return plan


def digests_of(tree: SourceTree) -> Digests:
    """Read and hash all files of `tree`."""
    return {key: _digest(tree, key) for key in (*tree.targets, *tree.context)}


def _digest(tree: SourceTree, key: str) -> bytes:
    held = tree.replaced.get(key)
    # A text that was given as text counts as UTF-8 whatever its cookie says.
    encoding = held.encoding.encode() if isinstance(held, Source) else b""
    try:
        return hashlib.sha256(tree.data(key)).digest() + encoding
    except OSError as error:
        return repr((type(error), error.errno)).encode()


def _question(job: Job, digests: Digests, prefix: str, identity: bytes) -> str:
    discovery = job.discovery
    tree = discovery.tree
    parts: list[object] = [
        identity,
        _what_decides(job.settings),
        job.plan_fixes is job.foresee_fixes,
        # A path in the code may lead up to the root and down again.
        tree.root.name,
        discovery.alone,
        [(unread.key.removeprefix(prefix), unread.reason) for unread in discovery.unread],
    ]
    digest = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass"))
    for keys in (tree.targets, tree.context):
        digest.update(b"%d files\0" % len(keys))
        for key in keys:
            digest.update(os.fsencode(key[len(prefix) :]))
            digest.update(b"\0")
            digest.update(digests[key])
            digest.update(b"\0")
    return digest.hexdigest()[:32]


def _what_decides(settings: Settings) -> Settings:
    """The settings without those that only say what to do with the findings."""
    neutral = Settings()
    return replace(
        settings,
        fail_on=neutral.fail_on,
        applicability=neutral.applicability,
        exclude=neutral.exclude,
        cache_dir=neutral.cache_dir,
        baseline=neutral.baseline,
    )
