"""Which graphs a file imports, and whether it runs them unfed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, FileFacts, Mapping, argument, last_name
from npu_migrate.index.gate import GRAPH_READERS
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.training.pipelines.graph_files.formats import Format
from npu_migrate.training.pipelines.graph_files.paths import file_name, literal

_OPENING = ("open", "Open", "GFile", "FastGFile", "FileIO")
_LOADERS = ("loader", "saved_model", "loader_impl")
_PATHS = {"import_meta_graph": ("meta_graph_or_file", 0), "read_meta_graph_file": ("filename", 0)}
_RUNNING = ("run", "eval", "evaluate", "partial_run", "make_callable", "run_step_fn")
_RUNNING_WHEN_CALLED = ("train", "predict", "fit")
_OTHERS_RUN = ("app", "subprocess", "tvm")
_SERVING = (Format.SAVED_MODEL,)
_INITIALIZERS = ("_initializer", "initialize_all_variables")


class Import(NamedTuple):
    """A graph that is imported from a file: in which form, from which file if that is known, where."""

    format: Format
    name: str | None
    place: Place


@once
def graphs_read(project: Project, key: str) -> tuple[Import, ...]:
    """The graphs that a file imports; of one that cannot be parsed, whatever its words may mean."""
    facts = project.facts(key)
    found = _mentioned(key, project.python(key)) if facts is None else _read(project, facts)
    return tuple(dict.fromkeys(found))


def _read(project: Project, facts: FileFacts) -> Iterator[Import]:
    for site in facts.calls:
        ref = ref_of_call(facts.key, site)
        name = last_name(site.call.func)
        if name in _PATHS:
            path = file_name(project, ref, argument(site.call, *_PATHS[name]))
            yield Import(Format.META_GRAPH, path, ref.place)
        elif name == "import_scoped_meta_graph":
            yield Import(Format.META_GRAPH, None, ref.place)
        elif name == "freeze_graph":
            yield Import(Format.META_GRAPH, None, ref.place)
            yield Import(Format.SAVED_MODEL, None, ref.place)
        elif name == "import_graph_def":
            for form in _forms_of_graph(facts):
                yield from (Import(form, opened, ref.place) for opened in _opened(project, facts))
        elif name in ("from_saved_model", "SavedModelLoader") and not _converts(site.call):
            yield Import(Format.SAVED_MODEL, _folder(project, ref, site.call, 0), ref.place)
        elif name == "load" and _is_loader(site.call.func):
            yield Import(Format.SAVED_MODEL, _folder(project, ref, site.call, 2), ref.place)
    yield from _named_otherwise(project, facts)


def _is_loader(function: Expr) -> bool:
    return isinstance(function, Attribute) and last_name(function.value) in _LOADERS


def _converts(call: Call) -> bool:
    """Whether a call makes a model for another runtime, which has no iterators."""
    return isinstance(call.func, Attribute) and (last_name(call.func.value) or "").endswith("Converter")


def _named_otherwise(project: Project, facts: FileFacts) -> Iterator[Import]:
    """What imports graphs and is handed on, or imported under another name."""
    for name, form in (
        ("import_meta_graph", Format.META_GRAPH),
        ("import_graph_def", Format.GRAPH),
        ("from_saved_model", Format.SAVED_MODEL),
    ):
        for site in (*project.names(facts.key, name), *project.attributes(facts.key, name)):
            if not (isinstance(site.parent, Call) and site.parent.func is site.expr):
                yield Import(form, None, project.ref_of(facts.key, site).place)
        for _, bound, binding in facts.bindings():
            if binding.target is not None and binding.target.name == name != bound and binding.span:
                yield Import(form, None, Place(facts.key, binding.span))


def _forms_of_graph(facts: FileFacts) -> Iterator[Format]:
    yield Format.GRAPH
    if "text_format" in facts.words:
        yield Format.GRAPH_TEXT
    if "MetaGraphDef" in facts.words or "read_meta_graph_file" in facts.words:
        yield Format.META_GRAPH


def _opened(project: Project, facts: FileFacts) -> tuple[str | None, ...]:
    """The names of the files that a file opens; None among them if it may be any."""
    opened = []
    for site in facts.calls:
        if last_name(site.call.func) in _OPENING:
            ref = ref_of_call(facts.key, site)
            opened.append(file_name(project, ref, argument(site.call, "name", 0)))
    return tuple(opened) if opened and None not in opened else (None,)


def _folder(project: Project, ref: Ref, call: Call, position: int) -> str | None:
    return literal(project, ref, argument(call, "export_dir", position))


def _mentioned(key: str, data: bytes) -> Iterator[Import]:
    """What a text mentions that imports graphs."""
    for word in GRAPH_READERS:
        start = data.find(word)
        if start < 0 or (word == b"loader" and b"saved_model" not in data):
            continue
        line, column = data.count(b"\n", 0, start) + 1, start - data.rfind(b"\n", 0, start) - 1
        forms = (Format.META_GRAPH, Format.GRAPH, Format.GRAPH_TEXT) if b"raph" in word else _SERVING
        yield from (Import(form, None, Place(key, (line, column, line, column))) for form in forms)


@once
def may_run_unfed(project: Project, key: str, alone: bool, apart: bool) -> bool:
    """Whether a file that imports a graph may run a pipeline of it.

    `alone`: no other file gets to what it imports. `apart`: nothing in the graph stands on the pipeline,
    which is only read to be fed.
    """
    facts = project.facts(key)
    if facts is None or not alone or "from_saved_model" in facts.words:
        return True
    for word in (*_RUNNING, *_RUNNING_WHEN_CALLED):
        for site in (*project.names(key, word), *project.attributes(key, word)):
            call = site.parent if isinstance(site.parent, Call) and site.parent.func is site.expr else None
            if call is None:
                if word in _RUNNING:
                    return True
            elif not _runs_no_graph(call) and not (apart and _is_fed(call)) and not _initializes(call):
                return True
    return False


def _runs_no_graph(call: Call) -> bool:
    return isinstance(call.func, Attribute) and last_name(call.func.value) in _OTHERS_RUN


def _is_fed(call: Call) -> bool:
    """Whether a session runs something and is fed."""
    fed = argument(call, "feed_dict", 1)
    if last_name(call.func) != "run" or fed is None or isinstance(fed, Constant):
        return False
    return not isinstance(fed, Mapping) or bool(fed.keys)


def _initializes(call: Call) -> bool:
    """Whether a run initializes variables and does nothing else."""
    fetched = argument(call, "fetches", 0)
    return isinstance(fetched, Call) and (last_name(fetched.func) or "").endswith(_INITIALIZERS)
