"""Top-level imports: where a new one goes, and whether it is there already."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set

from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.intents import AddImport
from npu_migrate.rewrite.document import Document, Refused
from npu_migrate.rewrite.parts import Insert, Order, Part, Slot
from npu_migrate.rewrite.statements import after, is_docstring

_HEAD = re.compile(r"(?:[ \t\f]*(?:\r\n?|\n))*(?:[ \t\f]*#[^\r\n]*(?:\r\n?|\n|\Z))*")
_TOLD_BACK = re.compile(
    r"(?:\r\n?|\n)[ \t]*#[ \t]*"
    r"(?:pylint: *enable|pytype: *enable|isort: *on|yapf: *enable|fmt: *on|ruff: *enable)[^\r\n]*"
)
"""A comment that ends what a tool was told to do with the lines above."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

LONGEST_IMPORT = 100
"""A line of names that would become longer is parted."""

_Import = ast.Import | ast.ImportFrom


def compile_import(document: Document, intent: AddImport, uses: Set[int], taken_away: Set[int]) -> list[Part]:
    """The parts of an `AddImport`; none if the module has it in time.

    Its names go to an import from the same module that comes early enough. Else it goes behind the last
    top-level import that stands before the first definition and before the first use, and behind comments
    that end what a linter was told about that one; else behind the docstring, else on top, below the first
    comments. `uses` are lines where other changes may use what is imported, `taken_away` those at which
    statements begin that other changes take away: nothing goes behind these. Raises `Refused`.
    """
    wanted = _import(intent.code)
    names = {_bound(alias) for alias in wanted.names}
    early = list(_before_use(document.tree, names, uses))
    present = {key for statement in early if isinstance(statement, _Import) for key in _keys(statement)}
    if present.issuperset(_keys(wanted)):
        return []
    line = _line_of(early, wanted)
    if line is not None:
        end = document.range(line.names[-1]).end
        missing = [ast.unparse(alias) for alias in wanted.names if _key(wanted, alias) not in present]
        return [Insert(end, Order(Slot.ITEM), text) for text in _going_on(document, line, missing)]
    imports = [
        statement
        for statement in _before_definitions(early)
        if isinstance(statement, _Import) and statement.lineno not in taken_away
    ]
    if imports or (early and is_docstring(early[0])):
        insert = after(document, imports[-1] if imports else early[0], intent.code)
        if insert.order.slot is Slot.LINE_AFTER:
            offset = _behind_what_is_told_back(document, insert.offset)
            insert = insert._replace(offset=offset, order=Order(Slot.IMPORT_AFTER))
        return [insert]
    head = _HEAD.match(document.text)
    offset = head.end() if head else 0
    own_line = offset == 0 or document.text[offset - 1] in "\r\n"
    text = intent.code + document.newline if own_line else document.newline + intent.code
    return [Insert(offset, Order(Slot.IMPORT_BEFORE), text)]


def _going_on(document: Document, line: ast.ImportFrom, names: Sequence[str]) -> list[str]:
    """What an import goes on with for each of some names: with a line where each has one and no comment.

    It does not depend on the others: other changes may need the same names.
    """
    start, end = document.range(line.names[-1])
    before = document.text[:start].rpartition("\n")[2]
    behind = document.text[end:].partition("\n")[0]
    if not before.strip() and "#" not in behind:
        return [f",{document.newline}{before}{name}" for name in names]
    if line.lineno != line.end_lineno:
        return [f", {name}" for name in names]
    width = len(before) + end - start
    return [text for name in names for text in going_on(width, (name,), document.newline)]


def going_on(width: int, names: Sequence[str], newline: str) -> list[str]:
    """What an import without brackets goes on with, the last line of which has a `width`."""
    texts = []
    for name in names:
        width += len(", ") + len(name)
        is_too_long = width > LONGEST_IMPORT
        texts.append(f", \\{newline}    {name}" if is_too_long else f", {name}")
        width = len("    ") + len(name) if is_too_long else width
    return texts


def _behind_what_is_told_back(document: Document, offset: int) -> int:
    while match := _TOLD_BACK.match(document.text, offset):
        offset = match.end()
    return offset


def _line_of(statements: list[ast.stmt], wanted: _Import) -> ast.ImportFrom | None:
    """The last import from the module that more names are wanted of, unless it has a star or other names."""
    if not isinstance(wanted, ast.ImportFrom):
        return None
    for one in reversed(statements):
        if isinstance(one, ast.ImportFrom) and (one.module, one.level) == (wanted.module, wanted.level):
            return None if any(alias.name == "*" or alias.asname for alias in one.names) else one
    return None


def _import(code: str) -> _Import:
    try:
        body = parse(code).body
    except UNPARSABLE:
        body = []
    if len(body) != 1 or not isinstance(body[0], _Import):
        raise Refused(f"{code!r} is not an import")
    return body[0]


def _before_use(module: ast.Module, names: set[str], uses: Set[int]) -> Iterator[ast.stmt]:
    """The top-level statements that run before anything uses `names` or runs one of the lines `uses`.

    What functions use is taken to be needed later, when they are called.
    """
    for statement in module.body:
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            if not uses.isdisjoint(lines) or _uses(statement, names):
                return
        yield statement


def _before_definitions(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in statements:
        if isinstance(statement, _DEFINITIONS):
            return
        yield statement


def _uses(statement: ast.stmt, names: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))


def _keys(statement: _Import) -> set[tuple[str, int, str, str | None]]:
    """What a statement binds to which names: comparable parts of it.

    Only ``import a`` has neither a module to import from nor a level.
    """
    return {_key(statement, alias) for alias in statement.names}


def _key(statement: _Import, alias: ast.alias) -> tuple[str, int, str, str | None]:
    module, level = (
        (statement.module or "", statement.level) if isinstance(statement, ast.ImportFrom) else ("", 0)
    )
    return module, level, alias.name, alias.asname


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]
