"""Which files of a tree are started, as opposed to imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from npu_migrate.programs.graph import TreeImports
from npu_migrate.programs.modules import module_name
from npu_migrate.programs.search_path import NO_ADDITIONS


def entries_of(imports: TreeImports) -> tuple[str, ...]:
    """The entry scripts of a tree, sorted.

    They are the scripts, the files that nobody imports, and one file of each cycle that nobody imports
    from outside.
    """
    edges = {key: imports.own_imports(key) for key in sorted(imports.surveys)}
    imported = frozenset[str]().union(*edges.values())
    entries = {key for key in edges if imports.surveys[key].script or key not in imported}
    covered = _reachable(edges, entries)
    for key in reversed(_finishing_order(edges, [key for key in edges if key not in covered])):
        if key not in covered:
            entries.add(key)
            covered |= _reachable(edges, (key,))
    return tuple(sorted(entries - _imported_by_wider_paths(imports, entries)))


def _imported_by_wider_paths(imports: TreeImports, entries: set[str]) -> set[str]:
    """Those of `entries` that are no scripts and that another one imports once files of its program have
    added to ``sys.path``."""
    adding = [key for key, surveyed in imports.surveys.items() if surveyed.additions != NO_ADDITIONS]
    candidates = entries & may_reach(imports, adding)
    imported: set[str] = set()
    for entry in sorted(candidates, key=lambda key: (not imports.surveys[key].script, key)):
        if entry not in imported:
            files, _ = imports.reached_from(entry)
            imported |= {key for key in files & entries if key != entry and not imports.surveys[key].script}
    return imported


def _reachable(edges: Mapping[str, Iterable[str]], starts: Iterable[str]) -> set[str]:
    reached = set(starts)
    border: set[str] = set(reached)
    while border:
        border = set().union(*(edges[key] for key in border)) - reached
        reached |= border
    return reached


def _finishing_order(edges: Mapping[str, Iterable[str]], keys: Sequence[str]) -> list[str]:
    """`keys` in the order in which a depth-first search leaves them.

    Whoever is left last of the keys not yet covered is imported by none of the others, or lies in a cycle
    that none of the others imports.
    """
    order: list[str] = []
    seen: set[str] = set()
    wanted = frozenset(keys)
    for start in keys:
        if start in seen:
            continue
        seen.add(start)
        path: list[tuple[str, Iterator[str]]] = [(start, iter(sorted(wanted.intersection(edges[start]))))]
        while path:
            key, remaining = path[-1]
            following = next((other for other in remaining if other not in seen), None)
            if following is None:
                order.append(key)
                path.pop()
            else:
                seen.add(following)
                path.append((following, iter(sorted(wanted.intersection(edges[following])))))
    return order


def may_reach(imports: TreeImports, goals: Iterable[str]) -> set[str]:
    """All files that could import one of `goals`, however far away, if names alone decided.

    Far cheaper than following every program, and never too small.
    """
    reached = set(goals)
    border = list(reached)
    asked: set[str] = set()
    while border:
        name = module_name(border.pop())
        if name not in asked:
            asked.add(name)
            border += imports.mentioning(name) - reached
            reached |= imports.mentioning(name)
    return reached
