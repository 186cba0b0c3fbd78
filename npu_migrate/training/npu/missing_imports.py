"""Names of npu_bridge that scripts use without importing them, because they trust the star import."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from npu_migrate.index.facts import Attribute, FileFacts
from npu_migrate.index.names import lookup
from npu_migrate.knowledge import npu
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import symbols

CLASS = "ExperimentalConfig"
MODULE = "npu_config"

_PACKAGES = ("npu_bridge", "npu_device")
_TENSORFLOW = ("tensorflow", "tensorflow_core")


@once
def unbound_names(project: Project) -> tuple[Ref, ...]:
    """Reads of ``ExperimentalConfig`` and ``npu_config`` that nothing binds, in files that import npu_bridge.

    ``npu_config`` counts only as the beginning of ``npu_config.x``.
    """
    return tuple(ref for name in (CLASS, MODULE) for ref in _unbound(project, name))


def _unbound(project: Project, name: str) -> Iterator[Ref]:
    for key in project.files_mentioning(name):
        facts = cast(FileFacts, project.facts(key))
        if not package_of(facts) or _may_be_starred(project, facts, name):
            continue
        for site in project.names(key, name):
            if site.stored or lookup(facts, site.scope, name) is not None:
                continue
            if name == CLASS or isinstance(site.parent, Attribute):
                ref = project.ref_of(key, site)
                if not symbols(project, key, site.scope, site.expr):
                    yield ref


def package_of(facts: FileFacts) -> str | None:
    """The package, ``npu_bridge`` or ``npu_device.compat.v1``, from which a file imports; None if neither."""
    for module in sorted(_imported_modules(facts)):
        if module.partition(".")[0] == _PACKAGES[0]:
            return _PACKAGES[0]
        if module.startswith("npu_device.compat.v1"):
            return "npu_device.compat.v1"
    return None


def _imported_modules(facts: FileFacts) -> set[str]:
    return {target.module for target in facts.import_targets()}


def _may_be_starred(project: Project, facts: FileFacts, name: str) -> bool:
    """Whether a star import may bind `name`: of a module that does, or of one that we know nothing of."""
    seen = {facts.key}
    waiting = [facts]
    while waiting:
        current = waiting.pop()
        for star in (star for scope in current.scopes for star in scope.stars):
            module = project.resolve_module(current.key, star.module, star.level)
            if module is None:
                known = star.module in npu.STAR_MODULES or star.module.partition(".")[0] in _TENSORFLOW
                if not known:
                    return True
            elif module not in seen:
                seen.add(module)
                inner = project.facts(module)
                if inner is None or name in inner.scopes[0].bindings:
                    return True
                waiting.append(inner)
    return False
