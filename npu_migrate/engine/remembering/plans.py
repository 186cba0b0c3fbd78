"""Plans of earlier runs: a second run over the same files reads and hashes them, and that is all.

A plan is kept under a hash of everything that decides it: this tool, the settings, and of each file whether
it is a target, its path below the root and its content. Times and the place of the root do not count.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from npu_migrate.cache.looks import stamps_of
from npu_migrate.cache.store import Store
from npu_migrate.engine.diagnosing import Label, PlannedFinding
from npu_migrate.engine.job import Each, Job, MakePlan, Part, Plan
from npu_migrate.engine.remembering.kept_parts import KeptParts, PartSummary
from npu_migrate.engine.remembering.plan_text import plan_from_text, plan_to_text
from npu_migrate.engine.remembering.seen_files import Digests, SeenFiles
from npu_migrate.index.gate import GENERATED_MODULE
from npu_migrate.programs.modules import folder_of
from npu_migrate.programs.surroundings import surroundings
from npu_migrate.settings import Settings
from npu_migrate.sources.tree import SourceTree

if TYPE_CHECKING:
    from npu_migrate.programs.programs import Sketches


@dataclass(frozen=True, slots=True)
class PlanMemory:
    """A `Recall` that keeps plans in `store`, made by the tool with this `identity`.

    The plan of the whole is kept, and those of its parts: when a file has changed, only its part is planned
    anew. `complain` is told why a plan could not be kept.
    """

    store: Store
    identity: bytes
    complain: Callable[[str], None]
    namespace: bytes = b""
    _seen: dict[Path, SeenFiles] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, job: Job, make: MakePlan) -> Plan:
        """The plan of `job`: the one that is kept, else the one that `make` makes."""
        tree = job.discovery.tree
        prefix = f"{tree.root.as_posix().rstrip('/')}/"
        if not _lies_below(tree, prefix):
            return make(job.each, None)
        digests = self.seen(tree).digests(tree)
        identity = self.identity + self.namespace
        name = _name_of_whole(job, digests, prefix, identity)
        on_disk = {key: digest for key, digest in digests.items() if key not in tree.replaced}
        others = self._parts_of(job.apart_from, on_disk, prefix)
        kept = self._kept(name, prefix) if others is None else self._kept_apart(job, name, others, prefix)
        if kept is not None:
            return kept
        parts = _PartMemory(
            job.each, self.store, prefix, _names_of_parts(job, digests, prefix, identity), others or {}
        )
        return self._made(job, partial(make, parts), parts, name, digests)

    def _made(
        self,
        job: Job,
        make: Callable[[Sketches], Plan],
        parts: _PartMemory,
        name: str,
        digests: Digests,
    ) -> Plan:
        """The plan that `make` makes with the help of `parts`, kept under `name` for later runs.

        `digests` are those of the files as they were before.
        """
        # Imported here since most runs know the whole.
        from npu_migrate.engine.analysis import names_of_ours
        from npu_migrate.engine.remembering.kept_sketches import keep_sketches, read_sketches
        from npu_migrate.engine.request import rule_options

        tree = job.discovery.tree
        seen = self.seen(tree)
        on_disk = [key for key in digests if key not in tree.replaced]
        stamps = stamps_of(on_disk)
        asked = names_of_ours(rule_options(job.settings))
        sketches = read_sketches(seen, tree, asked, lambda: digests)
        plan = make(sketches)
        # Files that change while they are analysed would leave a plan under the hashes of what they were. It
        # does not help that they are the same again afterwards.
        if stamps_of(on_disk) == stamps and seen.digests(tree) == digests:
            keeping = [seen.keep]
            if sketches.has_new:
                keeping.append(partial(keep_sketches, seen, sketches.of_any_place(), asked, digests))
            if plan.repeatable:
                text = KeptParts(parts.known, plan.files).to_text()
                keeping.append(partial(self.store.write, f"{name}.parts", text))
            # A plan without what other parts found is not that of the whole.
            whole = {} if parts.others else {f"{name}.plan": plan}
            self._keep({**whole, **parts.made}, parts.prefix, keeping)
        return plan

    def _kept(self, name: str, prefix: str) -> Plan | None:
        kept = self.store.read(f"{name}.plan")
        return None if kept is None else plan_from_text(kept, prefix)

    def _parts_of(self, job: Job | None, on_disk: Digests, prefix: str) -> Mapping[str, PartSummary] | None:
        """The parts of a job's plan, if they are kept. `on_disk` are hashes of files that nobody replaces."""
        if job is None:
            return None
        tree = job.discovery.tree
        if not _lies_below(tree, prefix):
            return None
        known = {key: digest for key, digest in on_disk.items() if key not in tree.replaced}
        found = self.seen(tree).digests(tree, known)
        name = _name_of_whole(job, found, prefix, self.identity + self.namespace)
        kept = self.store.read(f"{name}.parts")
        return None if kept is None else KeptParts.from_text(kept).parts

    def _kept_apart(self, job: Job, name: str, others: Mapping[str, PartSummary], prefix: str) -> Plan | None:
        """The plan of which all parts are kept, without the findings of parts that are among `others`."""
        kept = self.store.read(f"{name}.parts")
        if kept is None or job.discovery.unread:
            return None
        whole = KeptParts.from_text(kept)
        findings: list[PlannedFinding] = []
        labels: dict[str, Label] = {}
        for part in sorted(whole.parts.keys() - others.keys()):
            text = self.store.read(part)
            if text is None:
                return None
            plan = plan_from_text(text, prefix)
            findings += plan.findings
            labels |= plan.labels
        same = whole.parts.keys() & others.keys()
        left_out = sum(whole.parts[part].counting for part in same)
        return Plan(tuple(findings), labels, whole.files, left_out=left_out)

    def seen(self, tree: SourceTree) -> SeenFiles:
        """What is known of the files below the root of `tree`."""
        known = self._seen.get(tree.root)
        if known is None:
            known = self._seen[tree.root] = SeenFiles.of(self.store, self.identity, tree)
        return known

    def _keep(self, plans: Mapping[str, Plan], prefix: str, others: Iterable[Callable[[], None]]) -> None:
        try:
            for keep in others:
                keep()
            for name, plan in plans.items():
                if plan.repeatable:
                    self.store.write(name, plan_to_text(plan, prefix))
            self.store.prune()
        except OSError as error:
            self.complain(f"{self.store.folder}: cannot be written: {error.strerror or error}")


@dataclass(frozen=True, slots=True)
class _PartMemory:
    """A `PlanEach` that leaves to `each` what is not kept, and leaves out what is among `others`.

    It gathers what the run keeps at its end: the plans that `each` makes in `made`, and what is known of all
    parts in `known`.
    """

    each: Each
    store: Store
    prefix: str
    name: Callable[[Part], str]
    others: Mapping[str, PartSummary]
    made: dict[str, Plan] = field(default_factory=dict)
    known: dict[str, PartSummary] = field(default_factory=dict)

    def __call__(self, parts: Sequence[Part], work: Callable[[Part], Plan]) -> Iterator[Plan]:
        unknown = []
        for part in parts:
            name = self.name(part)
            same = self.others.get(name)
            if same is not None:
                self.known[name] = same
                yield same.without_findings()
                continue
            kept = self.store.read(name)
            if kept is None:
                unknown.append(part)
            else:
                plan = plan_from_text(kept, self.prefix)
                self.known[name] = PartSummary.of(plan)
                yield plan
        for name, plan in self.each(unknown, lambda part: (self.name(part), work(part))):
            self.made[name] = plan
            self.known[name] = PartSummary.of(plan)
            yield plan


def _lies_below(tree: SourceTree, prefix: str) -> bool:
    return all(key.startswith(prefix) for key in (*tree.targets, *tree.context))


def _name_of_whole(job: Job, digests: Digests, prefix: str, identity: bytes) -> str:
    """The name under which the plan of all files is kept, and which parts it has, without the ending."""
    discovery = job.discovery
    tree = discovery.tree
    unread = [(one.key.removeprefix(prefix), one.reason) for one in discovery.unread]
    hashed = _hashed(_of_all_parts(job, identity), unread, len(tree.targets))
    for key in (*tree.targets, *tree.context):
        hashed.update(os.fsencode(key[len(prefix) :]) + b"\0" + digests[key] + b"\0")
    return hashed.hexdigest()[:32]


def _names_of_parts(job: Job, digests: Digests, prefix: str, identity: bytes) -> Callable[[Part], str]:
    """The names under which the plans of parts are kept.

    Of the contents those of the part count. A new file changes the name where it may be meant by an import
    (see `surroundings`). Modules that this tool has added are not among the files of programs.
    """
    targets = frozenset(job.discovery.tree.targets)
    common = _hashed(_of_all_parts(job, identity))
    added: dict[str, list[str]] = {}
    for key in digests:
        if f"/{GENERATED_MODULE}" in key:
            added.setdefault(folder_of(key), []).append(key)

    def name(part: Part) -> str:
        hashed = common.copy()
        for program in part.programs:
            path = [folder.removeprefix(prefix) for folder in program.search_path]
            readers = [(one.key.removeprefix(prefix), one.alone) for one in program.graph_readers]
            hashed.update(_as_bytes((program.entry[len(prefix) :], path, readers)))
        around = surroundings(part.imports, part.programs, targets)
        hashed.update(_as_bytes([path.removeprefix(prefix) for path in around]))
        deciding = frozenset[str]().union(*(program.deciding for program in part.programs))
        beside = [key for folder in {*map(folder_of, deciding)} for key in added.get(folder, ())]
        for key in sorted(deciding.union(beside)):
            hashed.update(_as_bytes((key[len(prefix) :], key in targets, digests[key])))
        return f"{hashed.hexdigest()[:32]}.part"

    return name


def _of_all_parts(job: Job, identity: bytes) -> tuple[object, ...]:
    """What decides beside the files. Of the root only its name: a path in the code may lead through it."""
    discovery = job.discovery
    foreseen = job.plan_fixes is job.foresee_fixes
    return identity, _what_decides(job.settings), foreseen, discovery.alone, discovery.tree.root.name


def _hashed(*values: object) -> hashlib._Hash:
    return hashlib.sha256(_as_bytes(values))


def _as_bytes(values: object) -> bytes:
    return repr(values).encode("utf-8", "surrogateescape")


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
        rehearsal_python=neutral.rehearsal_python,
        language=neutral.language,
        documentation_url=neutral.documentation_url,
    )
