"""Where the module for iterators on first use is, or goes, so that all programs of a file can import it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import FileFacts, ImportTarget
from npu_migrate.index.gate import GENERATED_MODULE, is_generated
from npu_migrate.programs.modules import folder_of, home_of
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.training.pipelines.placement.naming import fresh_name


class ModulePlace(NamedTuple):
    """The key of the module's file, the statement by which a file imports it, and its name in there."""

    path: str
    statement: str
    name: str


@once
def module_place(project: Project, key: str) -> ModulePlace | None:
    """The place for the file `key`; None where no single one serves all programs of that file."""
    facts = project.facts(key)
    if facts is None or (project.tree.root.as_posix() == folder_of(key) and not project.programs_of(key)):
        return None
    found = _folder_and_package(project, key)
    if found is None:
        return None
    folder, package = found
    module = _free_name(project, folder)
    name = _imported_as(facts, module, package) or fresh_name(project, facts, 0, (), module)
    renamed = "" if name == module else f" as {name}"
    statement = f"from {package} import {module}" if package else f"import {module}"
    return ModulePlace(f"{folder}/{module}.py", statement + renamed, name)


def _folder_and_package(project: Project, key: str) -> tuple[str, str] | None:
    """The folder for the module, and the package that it belongs to; an empty one for a plain module.

    The folder of the scripts, where all of these are in one: Python searches it first. Else the top-most
    package of the file, or the folder of the file itself, as far as the file is imported in that way.
    """
    files = project.programs.imports.layout.files
    folders = {folder_of(entry) for entry in project.programs_of(key)}
    if len(folders) == 1:
        (folder,) = folders
        if f"{folder}/__init__.py" not in files:
            return folder, ""
    home = home_of(project.programs.imports.layout, key)
    package = "" if home is None else key[len(home) + 1 :].partition("/")[0]
    ways = {_is_packaged(target, package) for target in _ways_of_importing(project, key)}
    if not ways:
        survey = project.programs.imports.surveys[key]
        ways = {bool(package) and not survey.script}
    if len(ways) != 1:
        return None
    if ways.pop():
        return (f"{home}/{package}", package) if home is not None else None
    return folder_of(key), ""


def _is_packaged(target: ImportTarget, package: str) -> bool:
    """Whether an import counts from the package, and not from the folder of the module itself."""
    return target.level > 0 or "." in target.module or target.module == package


def _ways_of_importing(project: Project, key: str) -> Iterator[ImportTarget]:
    """The imports by which other files reach the file `key`, else those by which it reaches others."""
    found = False
    for importer in project.importers(key):
        for target in _imports_of(project, importer, key):
            found = True
            yield target
    if not found:
        for other in _neighbours(project, key):
            yield from _imports_of(project, key, other)


def _imports_of(project: Project, importer: str, imported: str) -> Iterator[ImportTarget]:
    facts = project.facts(importer)
    for target in () if facts is None else facts.import_targets():
        names = [target.module]
        if target.name is not None:
            names.append(f"{target.module}.{target.name}" if target.module else target.name)
        if any(project.resolve_module(importer, name, target.level) == imported for name in names):
            yield target


def _neighbours(project: Project, key: str) -> Iterator[str]:
    folder = folder_of(key)
    return (one for one in sorted(project.neighbours(key)) if folder_of(one) == folder and one != key)


def _free_name(project: Project, folder: str) -> str:
    """The name of the module in `folder`: that of the one which is there, else one that nothing has."""
    number = 0
    while True:
        module = f"{GENERATED_MODULE}_{number}" if number else GENERATED_MODULE
        path = f"{folder}/{module}"
        taken = path in project.programs.imports.layout.folders
        if not taken and (not project.tree.exists(f"{path}.py") or _is_ours(project, f"{path}.py")):
            return module
        number += 1


def _is_ours(project: Project, path: str) -> bool:
    try:
        return is_generated(project.tree.data(path))
    except OSError:
        return False


def _imported_as(facts: FileFacts, module: str, package: str) -> str | None:
    """The name by which a file has imported the module at its top."""
    wanted = ImportTarget(package, 0, module) if package else ImportTarget(module, 0, None)
    for name, bindings in facts.scopes[0].bindings.items():
        if [binding.target for binding in bindings] == [wanted]:
            return name
    return None
