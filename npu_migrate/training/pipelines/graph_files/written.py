"""Which graphs a file writes, in which form.

Not those that an Estimator exports to be served: whoever loads one runs the initializers of its tables, among
which a fix puts that of an iterator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, argument, last_name
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.pipelines.graph_files.formats import Format, Written
from npu_migrate.training.pipelines.graph_files.paths import file_name, literal

_MENTIONED = (
    b"save",
    b"write_graph",
    b"export_meta_graph",
    b"graph_def",
    b"graph_variables",
    b"meta_graph",
    b"freeze_graph",
    b"Saver",
    b"Supervisor",
    b"MonitoredTrainingSession",
    b"learning.train",
    b"training.train",
    b"Estimator",
    b"Classifier",
    b"Regressor",
    b"train_and_evaluate",
)
"""One of these is in every file that writes a graph."""

_MOVING = (b"shutil", b"rename", b"Rename", b"os.replace", b"gfile.Copy", b"subprocess", b"os.system")
"""What may give a file another name."""

_GRAPHS = (Format.GRAPH, Format.GRAPH_TEXT)
_FORMATS: Mapping[str, tuple[Format, ...]] = {
    "export_meta_graph": (Format.META_GRAPH,),
    "write_graph": _GRAPHS,
    "as_graph_def": _GRAPHS,
    "convert_variables_to_constants": _GRAPHS,
    "extract_sub_graph": _GRAPHS,
    "freeze_graph": _GRAPHS,
    "freeze_graph_with_def_protos": _GRAPHS,
    "simple_save": (Format.SAVED_MODEL,),
    "add_meta_graph": (Format.SAVED_MODEL,),
    "add_meta_graph_and_variables": (Format.SAVED_MODEL,),
}
_KEEPING: Mapping[str, tuple[str, int] | None] = {
    "MonitoredTrainingSession": ("checkpoint_dir", 2),
    "Supervisor": ("logdir", 3),
    "CheckpointSaverHook": None,
    "NPUCheckpointSaverHook": None,
    "train_and_evaluate": None,
}
"""What saves a graph by itself, where it gets the folder that it needs for that, if it needs one."""

_OURS = ("tensorflow", "npu_", "tf_slim")
_ESTIMATORS = ("Estimator", "Classifier", "Regressor")
_TRAINING = ("learning", "training")
_BY_THEMSELVES = (Written(Format.META_GRAPH, "model.ckpt"), Written(Format.GRAPH_TEXT, "graph.pbtxt"))
_NAMED = "checkpoint_basename"
_UNNAMED = (Written(Format.META_GRAPH), *_BY_THEMSELVES[1:])


@once
def graphs_of(project: Project, program: str) -> tuple[Written, ...]:
    """The graphs that the program with this entry writes."""
    files = sorted(project.programs.by_entry[program].files)
    saver = _mentions(project, files, (b"Saver",))
    written = (one for key in files for one in graphs_written(project, key, saver))
    if _mentions(project, files, _MOVING):
        written = (one._replace(name=None) for one in written)
    return tuple(dict.fromkeys(written))


def _mentions(project: Project, files: Iterable[str], words: Iterable[bytes]) -> bool:
    return any(word in project.python(key) for key in files for word in words)


@once
def graphs_written(project: Project, key: str, saver: bool) -> tuple[Written, ...]:
    """The graphs that a file writes; `saver` tells whether its program has a `Saver`."""
    if not _mentions(project, (key,), _MENTIONED):
        return ()
    facts = project.facts(key)
    if facts is None:
        return ()
    calls = (ref_of_call(key, site) for site in facts.calls)
    called = (written for call in calls for written in _written(project, call, saver))
    return (*called, *_named_otherwise(project, key, saver))


def _named_otherwise(project: Project, key: str, saver: bool) -> Iterator[Written]:
    """What writes graphs and is kept or handed on, such as the method of a `Saver`."""
    for name, formats in (("save", (Format.META_GRAPH,)), *_FORMATS.items()):
        for site in project.attributes(key, name):
            parent = site.parent
            if not (isinstance(parent, Call) and parent.func is site.expr) and (saver or name != "save"):
                yield from map(Written, formats)


def _written(project: Project, ref: Ref, saver: bool) -> Iterator[Written]:
    call = ref.expr
    assert isinstance(call, Call)
    name = last_name(call.func) or ""
    if name in _FORMATS:
        written = _name_of_graph(project, ref, call, name)
        yield from (Written(one, written) for one in _FORMATS[name])
    elif name in _KEEPING or name.endswith(_ESTIMATORS) or _trains(call):
        if _has_folder(call, _KEEPING.get(name)) and _may_be_tensorflow(project, ref, call.func):
            yield from _BY_THEMSELVES if argument(call, _NAMED) is None else _UNNAMED
    elif name == "save" and saver and _is_saver(project, ref, call):
        path = argument(call, "save_path", 1)
        yield Written(Format.META_GRAPH, file_name(project, ref, path))


def _name_of_graph(project: Project, ref: Ref, call: Call, name: str) -> str | None:
    """The name of the file, or for a saved model of its folder, where the call itself says it."""
    if name == "export_meta_graph":
        return file_name(project, ref, argument(call, "filename", 0))
    if name == "write_graph":
        return file_name(project, ref, argument(call, "name", 2))
    if name == "simple_save":
        return literal(project, ref, argument(call, "export_dir", 1))
    return None


def _has_folder(call: Call, asked: tuple[str, int] | None) -> bool:
    """Whether a call gets the folder that it saves to, if it needs one."""
    if asked is None or any(keyword.name is None for keyword in call.keywords):
        return True
    folder = argument(call, *asked)
    return folder is not None and not _is(folder, None)


def _trains(call: Call) -> bool:
    """Whether a call is ``slim.learning.train`` or its like."""
    func = call.func
    return isinstance(func, Attribute) and func.attr == "train" and last_name(func.value) in _TRAINING


def _is_saver(project: Project, ref: Ref, call: Call) -> bool:
    """Whether ``x.save(sess, path)`` may be that of a `Saver`, and writes its graph."""
    func = call.func
    if not isinstance(func, Attribute) or len(call.args) + len(call.keywords) < 2:
        return _is_starred(call)
    keep = argument(call, "write_meta_graph")
    if keep is not None and _is(keep, False):
        return False
    return _may_be_tensorflow(project, ref, func.value)


def _may_be_tensorflow(project: Project, ref: Ref, expr: Expr) -> bool:
    """Whether an expression is nothing that another library has."""
    names = external_names(project, ref.key, ref.scope, expr)
    return not names or any(name.startswith(_OURS) for name in names)


def _is_starred(call: Call) -> bool:
    return any(keyword.name is None for keyword in call.keywords) or (
        len(call.args) == 1 and argument(call, "", 0) is None
    )


def _is(expr: Expr, value: object) -> bool:
    return isinstance(expr, Constant) and expr.value is value
