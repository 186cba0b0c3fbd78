"""Questions about one argument of a call in a small project, and answers as its text."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from source_trees import tree_of

from npu_migrate.index.facts import Call
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.libraries import LIBRARIES

OURS = "# npu_bridge\n"


def project_of(root: Path, files: dict[str, str]) -> Project:
    tree = tree_of(root, {name: dedent(text) + OURS for name, text in files.items()})
    return Project(tree, relevant_files(tree), LIBRARIES)


def calls(project: Project, name: str) -> list[Ref]:
    return [Ref(key, site.scope, site.statement, site.call) for key, site in project.calls_named(name)]


def the_call(project: Project, name: str) -> Ref:
    (ref,) = calls(project, name)
    return ref


def first_argument(ref: Ref) -> Ref:
    assert isinstance(ref.expr, Call)
    return ref._replace(expr=ref.expr.args[0])


def text_of(project: Project, ref: Ref) -> str:
    """The source text of an expression, and the path into it: ``pair()[1]``."""
    line, column, end_line, end_column = ref.expr.span
    lines = project.tree.source(ref.key).text.split("\n")
    assert line == end_line
    return lines[line - 1][column:end_column] + "".join(f"[{index}]" for index in ref.path)
