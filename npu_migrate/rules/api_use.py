"""Which functions and classes of TensorFlow the files of a project call."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import ApiUse
from npu_migrate.knowledge.api_support import SUPPORT
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.rules.porting import spoken
from npu_migrate.semantics.resolution import external_names

NOT_CHECKED = "not checked"
_TENSORFLOW = "tensorflow."


def uses_in(project: Project) -> Iterator[ApiUse]:
    """One for each name of TensorFlow that the targets call, through whatever alias, in order of the
    names.
    """
    places: dict[str, list[tuple[str, int]]] = {}
    for ref, name in calls_of_tensorflow(project):
        places.setdefault(name, []).append((ref.key, ref.expr.span[0]))
    for name, found in sorted(places.items()):
        known = SUPPORT.get(name)
        if known is None:
            yield ApiUse(spoken(name), NOT_CHECKED, "", "", "", "", "", tuple(found))
        else:
            verdict, advice, source, code, product = known
            yield ApiUse(spoken(name), verdict, advice, source, code, product, known.date, tuple(found))


def calls_of_tensorflow(project: Project) -> Iterator[tuple[Ref, str]]:
    """The calls of TensorFlow in the targets, each with the canonical name of what is called."""
    for facts in project.relevant():
        if facts.key not in project.targets:
            continue
        for site in facts.calls:
            for name in external_names(project, facts.key, site.scope, site.call.func):
                if name.startswith(_TENSORFLOW):
                    yield ref_of_call(facts.key, site), name
