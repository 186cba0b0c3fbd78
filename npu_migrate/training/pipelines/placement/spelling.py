"""How a file spells TensorFlow, for the statements that are added to it."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Binding, FileFacts
from npu_migrate.index.names import lookup, spelled
from npu_migrate.knowledge.tensorflow import ONLY_IN_V1
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.semantics.resolution import External, Module, attribute_symbols


def tensorflow_spelling(project: Project, facts: FileFacts, scope: int) -> str | None:
    """How the file spells TensorFlow's 1.x API: ``tf``, ``tf.compat.v1``, ``tf1``; None if it does not.

    A spelling of ``compat.v1`` is preferred: it is right whichever TensorFlow is installed.
    """
    for _, name in _module_spellings(project, facts.key):
        found = lookup(facts, scope, name.partition(".")[0])
        if found is not None and found.scope == 0:
            return name
    return None


@once
def _module_spellings(project: Project, key: str) -> tuple[tuple[int, str], ...]:
    """The module-level names of a file that mean TensorFlow's 1.x API, with their rank; the best first."""
    facts = project.facts(key)
    return () if facts is None else tuple(sorted(_ranked_spellings(project, facts)))


def _ranked_spellings(project: Project, facts: FileFacts) -> Iterator[tuple[int, str]]:
    for name, bindings in facts.scopes[0].bindings.items():
        imported = all(binding.kind in ("import", "assign") for binding in bindings)
        if not imported or External("tensorflow") not in attribute_symbols(project, Module(facts.key), name):
            continue
        modules = {_imported_module(binding) for binding in bindings if binding.target is not None}
        if any(".python." in module for module in modules):
            continue
        if "tensorflow" not in modules:
            yield 0, name
        elif _uses_compat(facts, name):
            yield 1, f"{name}.compat.v1"
        else:
            yield (2 if name == "tf" else 3), name


def _imported_module(binding: Binding) -> str:
    target = binding.target
    assert target is not None
    return target.dotted


def _uses_compat(facts: FileFacts, alias: str) -> bool:
    """Whether the file reaches the 1.x API through ``compat.v1``, and never calls 1.x names without it."""
    called = {spelled(site.call.func) or "" for site in facts.calls}
    if any(f"{alias}.{name}" in called for name in ONLY_IN_V1):
        return False
    return any(name.startswith(f"{alias}.compat.v1.") for name in called)
