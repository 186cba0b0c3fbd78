"""
## What it does

Says where something that could hide findings was not understood: a name of TensorFlow, `npu_bridge` or
Rec SDK that comes from a star import of a module outside the project, or one of these packages imported by
`importlib`. It also says when a whole file could not be analysed because its code is nested too deeply, or
because Python's parser crashed on it or took more than 30 seconds or 2 GB of memory; and when a rule failed
on a file, which is a mistake in this tool: what the other rules find is still right.

In a notebook it names the cells whose code runs elsewhere and mentions such a name: `%%writefile train.py`
(unless the project has that file), `%%python`, and magics that are not known. Of a notebook in another
language it says just that.

## Why

"No finding" must mean that the code was understood. What was not understood is said.

## Example

```python
from my_company.everything import *

config = NPURunConfig(iterations_per_loop=100)
```

## Use instead

```python
from npu_bridge.npu_init import *

config = NPURunConfig(iterations_per_loop=100)
```

## Fix safety

There is no edit. Import the name from where it is defined, or give the folder of the module to the `src`
setting. Save the code of a cell as a script and check that.

## Sources

None: this code is about the tool itself.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from npu_migrate.findings import Finding, Severity
from npu_migrate.index.facts import CallSite, FileFacts, last_name
from npu_migrate.index.gate import mentions_ours
from npu_migrate.index.names import lookup
from npu_migrate.knowledge import distributed, npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.programs.modules import folder_of
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.resolution import Module, attribute_symbols, external_names
from npu_migrate.semantics.values.evaluation import evaluate

_OURS = (npu.STAR_EXPORTS - {"util", *distributed.HCCL_NAMES}) | {
    "ExperimentalConfig",
    tf.ONE_SHOT_METHOD,
    tf.INITIALIZABLE_METHOD,
}
_PACKAGES = ("npu_bridge", "npu_device", "mx_rec")
_IMPORTERS = frozenset({"importlib.import_module", "importlib.__import__"})
_QUOTES = "'\""
_IMPORTER_WORDS = frozenset({"import_module", "__import__"})


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per construct through which names of ours may come unseen."""
    for key in sorted(project.ours & project.targets):
        facts = project.facts(key)
        if facts is not None:
            yield from _covered_cells(project, key)
            yield from _unresolved_stars(project, facts)
            yield from _imported_by_function(project, facts)


def _covered_cells(project: Project, key: str) -> Iterator[Finding]:
    """The cells of a notebook that hold names of ours for a script or another process."""
    source = project.tree.source(key)
    if source.notebook is None:
        return
    joined = source.notebook.joined
    for start, end in joined.unseen:
        magic, *code = joined.written[start:end].splitlines()
        written = posixpath.normpath(f"{folder_of(key)}/{magic.split()[-1].strip(_QUOTES)}")
        if mentions_ours("\n".join(code).encode()) and not project.tree.holds(written):
            first = source.lines.ast_position(start)
            last = source.lines.ast_position(start + len(magic))
            yield _finding(
                project,
                Place(key, (*first, *last)),
                f"not analysed: the rest of the cell belongs to {magic.split()[0]}; check it as a script",
            )


def _unresolved_stars(project: Project, facts: FileFacts) -> Iterator[Finding]:
    stars = [star for scope in facts.scopes for star in scope.stars]
    outside = sorted(
        {
            "." * star.level + star.module
            for star in stars
            if project.resolve_module(facts.key, star.module, star.level) is None
            and star.module not in npu.STAR_MODULES
            and star.module.split(".")[0] != "tensorflow"
        }
    )
    if not outside:
        return
    for name in sorted(_OURS & facts.words.keys()):
        if attribute_symbols(project, Module(facts.key), name):
            continue
        first = next(
            (s for s in project.names(facts.key, name) if lookup(facts, s.scope, name) is None), None
        )
        if first is not None:
            yield _finding(
                project,
                Place(facts.key, first.expr.span),
                f"not analysed: {name} may come from 'from {outside[0]} import *', which cannot be seen",
            )


def _imported_by_function(project: Project, facts: FileFacts) -> Iterator[Finding]:
    if _IMPORTER_WORDS.isdisjoint(facts.words):
        return
    for site in facts.calls:
        call = site.call
        if not call.args or not _is_importer(project, facts, site):
            continue
        module = Ref(facts.key, site.scope, site.statement, call.args[0])
        package = next(_packages_named(project, module), None)
        if package is not None:
            place = Place(facts.key, call.span)
            yield _finding(project, place, f"not analysed: {package} is imported by a function call")


def _is_importer(project: Project, facts: FileFacts, site: CallSite) -> bool:
    func = site.call.func
    if last_name(func) == "__import__":
        return True
    return bool(external_names(project, facts.key, site.scope, func) & _IMPORTERS)


def _packages_named(project: Project, module: Ref) -> Iterator[str]:
    """The modules of our packages that an imported module's name may be."""
    for known in evaluate(project, module).alternatives:
        if isinstance(known.constant, str) and known.constant.split(".")[0] in _PACKAGES:
            yield known.constant


def _finding(project: Project, place: Place, message: str) -> Finding:
    return Finding("NPU903", Severity.INFO, message, place, programs=project.programs_of(place.path))


RULE = Rule(
    code="NPU903",
    name="not-analysed",
    summary="Something that could hide findings was not understood.",
    severity="info; error for a whole file",
    fix="manual",
    sources=(),
    documentation=__doc__ or "",
    check=check,
)
