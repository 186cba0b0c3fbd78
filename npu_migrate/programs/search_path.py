"""What a file adds to ``sys.path``, where that is built from literals and ``__file__``.

Only the few files that mention ``sys.path`` are parsed for it. A name stands for everything that is
assigned to it, that a loop gives it, or that a call passes for it; what turns out to be no folder of the
tree is dropped, so a value too many does no harm.
"""

from __future__ import annotations

import ast
import ntpath
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.programs.modules import folder_of

_MENTION = b"sys.path"
_SAME = frozenset({"abspath", "realpath", "normpath", "resolve", "absolute", "str", "fspath"})
_METHODS = frozenset({"resolve", "absolute", "joinpath"})
_JOIN = frozenset({"join", "joinpath", "Path", "PurePath"})
_CONSTANTS = {"pardir": "..", "curdir": ".", "sep": "/"}
_MOST_VALUES = 32
"""A name with more values than this is not followed further."""


class PathAdditions(NamedTuple):
    """Folders that a file puts on the search path: in front of the script's folder, or behind all."""

    front: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


NO_ADDITIONS = PathAdditions()


def path_additions(key: str, data: bytes, root: str) -> PathAdditions:
    """The constant ``sys.path`` additions of the file `key`, as absolute folders.

    A relative folder may be meant from the file's own folder or from `root`; both are given. A file that
    cannot be parsed adds nothing.
    """
    if _MENTION not in data:
        return NO_ADDITIONS
    try:
        return _found_in(key, parse(data), root)
    except UNPARSABLE:
        return NO_ADDITIONS


def _found_in(key: str, module: ast.Module, root: str) -> PathAdditions:
    values = _Values.of(key, module)
    front: list[str] = []
    behind: list[str] = []
    for expression, in_front in _additions(module):
        for value in values.of_expression(expression, frozenset()):
            folders = _absolute(value, (folder_of(key), root))
            (front if in_front else behind).extend(folders)
    return PathAdditions(tuple(dict.fromkeys(front)), tuple(dict.fromkeys(behind)))


def _absolute(value: str, bases: Sequence[str]) -> Iterator[str]:
    value = value.replace("\\", "/")
    if posixpath.isabs(value) or ntpath.isabs(value):
        yield posixpath.normpath(value)
    else:
        yield from (posixpath.normpath(f"{base}/{value}") for base in bases)


def _additions(module: ast.Module) -> Iterator[tuple[ast.expr, bool]]:
    """The added expressions, each with whether it goes to the front."""
    nodes = (node for node in ast.walk(module) if isinstance(node, ast.Call | ast.AugAssign))
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
        match node:
            case ast.Call(ast.Attribute(path, "append"), [added]) if _is_sys_path(path):
                yield added, False
            case ast.Call(ast.Attribute(path, "insert"), [_, added]) if _is_sys_path(path):
                yield added, True
            case ast.Call(ast.Attribute(path, "extend"), [added]) if _is_sys_path(path):
                yield from ((item, False) for item in _items(added))
            case ast.AugAssign(target=path, value=added) if _is_sys_path(path):
                yield from ((item, False) for item in _items(added))


def _is_sys_path(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr="path"):
            return True
        case _:
            return False


def _items(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple) else ()


class _Values(NamedTuple):
    """The expressions that each name of a file may stand for."""

    key: str
    bound: dict[str, list[ast.expr]]

    @staticmethod
    def of(key: str, module: ast.Module) -> _Values:
        bound: dict[str, list[ast.expr]] = {}
        parameters: dict[str, list[str]] = {}
        nodes = list(ast.walk(module))
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        bound.setdefault(target.id, []).append(node.value)
            elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                bound.setdefault(node.target.id, []).extend(_items(node.iter))
            elif isinstance(node, ast.FunctionDef):
                parameters[node.name] = [argument.arg for argument in node.args.args]
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for name, argument in zip(parameters.get(node.func.id, ()), node.args, strict=False):
                    bound.setdefault(name, []).append(argument)
        return _Values(key, bound)

    def of_expression(self, node: ast.expr, busy: frozenset[ast.expr]) -> tuple[str, ...]:
        """The paths that an expression may mean; `busy` are those that are being worked out."""
        match node:
            case ast.Constant(value=str(text)):
                return (text,)
            case ast.Name(id="__file__"):
                return (self.key,)
            case ast.Name():
                return self._of_name(node.id, busy)
            case ast.Attribute(attr="parent"):
                return _up(self.of_expression(node.value, busy), 1)
            case ast.Attribute(attr=name) if name in _CONSTANTS:
                return (_CONSTANTS[name],)
            case ast.BinOp(op=ast.Add()):
                return self._combined([node.left, node.right], "".join, busy)
            case ast.BinOp(op=ast.Div()):
                return self._combined([node.left, node.right], _joined, busy)
            case ast.JoinedStr():
                return self._combined(node.values, "".join, busy)
            case ast.FormattedValue():
                return self.of_expression(node.value, busy)
            case ast.Subscript(
                value=ast.Attribute(attr="parents", value=path), slice=ast.Constant(value=int(n))
            ):
                return _up(self.of_expression(path, busy), n + 1)
            case ast.Subscript(value=ast.Call(args=[path]) as call, slice=ast.Constant(value=0)):
                return _up(self.of_expression(path, busy), 1) if _called(call) == "split" else ()
            case ast.Call():
                return self._of_call(node, busy)
            case _:
                return ()

    def _of_name(self, name: str, busy: frozenset[ast.expr]) -> tuple[str, ...]:
        candidates = [expression for expression in self.bound.get(name, ()) if expression not in busy]
        values = (
            value
            for expression in candidates[:_MOST_VALUES]
            for value in self.of_expression(expression, busy | {expression})
        )
        return tuple(dict.fromkeys(values))[:_MOST_VALUES]

    def _of_call(self, call: ast.Call, busy: frozenset[ast.expr]) -> tuple[str, ...]:
        name = _called(call)
        operands = list(call.args)
        if isinstance(call.func, ast.Attribute) and name in _METHODS:
            operands.insert(0, call.func.value)
        if not operands:
            return ()
        if name in _JOIN:
            return self._combined(operands, _joined, busy)
        if name in _SAME:
            return tuple(posixpath.normpath(path) for path in self.of_expression(operands[0], busy))
        if name == "dirname":
            return _up(self.of_expression(operands[0], busy), 1)
        return ()

    def _combined(
        self, parts: Sequence[ast.expr], combine: Callable[[Sequence[str]], str], busy: frozenset[ast.expr]
    ) -> tuple[str, ...]:
        """Every choice of the parts' values, combined; nothing if one of them has no value."""
        choices = product(*(self.of_expression(part, busy) for part in parts))
        return tuple(combine(choice) for choice in islice(choices, _MOST_VALUES))


def _called(call: ast.Call) -> str:
    """The last name of what is called."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _up(paths: Iterable[str], steps: int) -> tuple[str, ...]:
    for _ in range(steps):
        paths = [posixpath.dirname(path) for path in paths]
    return tuple(paths)


def _joined(parts: Sequence[str]) -> str:
    return posixpath.join(*parts)
