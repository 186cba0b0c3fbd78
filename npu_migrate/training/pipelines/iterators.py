"""Iterator creations in the project: which call makes one, how, and what it is called there."""

from __future__ import annotations

import re
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    Name,
    Operation,
    Other,
    argument,
    last_name,
)
from npu_migrate.index.gate import GENERATED_MODULE
from npu_migrate.index.names import dotted, lookup, spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import call_targets, instance_classes
from npu_migrate.semantics.resolution import Definition, External, scope_of, symbols
from npu_migrate.semantics.values.evaluation import evaluate

_METHOD_CALLER = "methodcaller"
_OTHER_NAMES = (_METHOD_CALLER, "OneShotIterator", "one_shot_iterator")
"""By what else than the method's name a call of an attribute may make an iterator."""

_KNOWN_PART = "_iterator"
_PLACE_TO_FILL = re.compile(r"%(?:\\\(\w+\\\))?s")
_FIELD_TO_FILL = re.compile(r"\\\{[^{}]*\\\}")


class Creation(NamedTuple):
    """A call that creates an iterator.

    `form` is ``method`` (``ds.make_…()``), ``unbound`` (``Dataset.make_…(ds)``), ``function``
    (``tf.data.make_…(ds)``), ``first-use`` (by the module that fixes add), ``mapped`` (``map(tf.data.make_…,
    datasets)``), ``handed-on`` (the function is an argument of another call), ``raw-op``, ``reflection``
    (``getattr(ds, "make_…")``) or ``bound`` (``ds.make_…`` without a call, which is made elsewhere).
    `dataset` is the dataset's expression where there is one.
    """

    ref: Ref
    form: str
    dataset: Expr | None

    @property
    def call(self) -> Call:
        """The creating call itself."""
        assert isinstance(self.ref.expr, Call)
        return self.ref.expr

    @property
    def function(self) -> Expr:
        """What names the function or method that makes the iterator."""
        if self.form == "bound":
            return self.ref.expr
        if self.form not in ("mapped", "handed-on"):
            return self.call.func
        given = (*self.call.args, *(keyword.value for keyword in self.call.keywords))
        return next(value for value in given if last_name(value) == tf.ONE_SHOT_METHOD)


def one_shot_creations(project: Project, key: str) -> tuple[Creation, ...]:
    """The calls in one file that create a one-shot iterator, in source order (facts 1.2)."""
    found = _creations(project, key, tf.ONE_SHOT_METHOD, tf.ONE_SHOT_FUNCTION)
    elsewhere = [*_handed_on(project, key), *_bound(project, key), *_kept(project, key)]
    return tuple(sorted((*found, *elsewhere), key=_end)) if elsewhere else found


def initializable_creations(project: Project, key: str) -> tuple[Creation, ...]:
    """The calls in one file that create an initializable iterator, in source order."""
    found = _creations(project, key, tf.INITIALIZABLE_METHOD, tf.INITIALIZABLE_FUNCTION)
    on_first_use = _on_first_use(project, key)
    return tuple(sorted((*found, *on_first_use), key=_end)) if on_first_use else found


def _creations(project: Project, key: str, method: str, function: str) -> tuple[Creation, ...]:
    facts = project.facts(key)
    if facts is None:
        return ()
    names = (method, *_OTHER_NAMES)
    found = []
    for site in facts.calls:
        func = site.call.func
        if isinstance(func, Name) or last_name(func) in names:
            ref = ref_of_call(key, site)
            creation = _creation(project, ref, site.call, method, function)
            if creation is not None:
                found.append(creation)
    return tuple(sorted(found, key=_end))


def _end(creation: Creation) -> tuple[int, ...]:
    return creation.ref.expr.span[2:]


def _handed_on(project: Project, key: str) -> list[Creation]:
    """The calls that get TensorFlow's function as an argument, and call it for one-shot iterators."""
    facts = project.facts(key)
    found = []
    for number in () if facts is None else facts.words.get(tf.ONE_SHOT_METHOD, ()):
        for site in project.sites(key, number).values():
            ref = project.ref_of(key, site)
            outer = project.parent_ref(ref)
            call = None if outer is None else outer.expr
            if outer is None or not isinstance(call, Call) or call.func is site.expr:
                continue
            if last_name(site.expr) == tf.ONE_SHOT_METHOD and _is_function(project, ref):
                found.append(
                    Creation(outer, "mapped" if _is_map(project, outer, call) else "handed-on", None)
                )
    return found


def _bound(project: Project, key: str) -> list[Creation]:
    """The methods of datasets that are taken without being called: ``make = ds.make_one_shot_iterator``."""
    found = []
    for site in project.attributes(key, tf.ONE_SHOT_METHOD):
        func, ref = site.expr, project.ref_of(key, site)
        is_called = isinstance(site.parent, Call) and site.parent.func is func
        if site.stored or is_called or not isinstance(func, Attribute):
            continue
        is_of_module = symbols(project, key, site.scope, func) or _is_module(project, ref, func.value)
        if not is_of_module and not _is_defined_by_class(project, ref, func):
            found.append(Creation(ref, "bound", func.value))
    return found


def _kept(project: Project, key: str) -> list[Creation]:
    """TensorFlow's function where it is kept for others to call: in a dictionary, as a default, as a result.

    Where it only gets another name, its calls are found by that.
    """
    if project.facts(key) is None:
        return []
    name = tf.ONE_SHOT_METHOD
    found = []
    for site in (*project.attributes(key, name), *project.names(key, name)):
        ref = project.ref_of(key, site)
        if site.stored or isinstance(site.parent, Call) or _is_only_renamed(project, ref):
            continue
        if _is_function(project, ref):
            found.append(Creation(ref, "bound", None))
    return found


def _is_only_renamed(project: Project, ref: Ref) -> bool:
    """Whether something gets another name, by which the file only calls it."""
    statement = project.statement(ref)
    if statement.kind != "Assign" or statement.values != (ref.expr,):
        return False
    return all(
        isinstance(target, Name)
        and all(
            site.stored or (isinstance(site.parent, Call) and site.parent.func is site.expr)
            for site in project.names(ref.key, target.id)
        )
        for target in statement.targets
    )


def _is_function(project: Project, ref: Ref) -> bool:
    """Whether a name means TensorFlow's function, or the method of its class."""
    if not isinstance(ref.expr, (Name, Attribute)):
        return False
    names = {s.name for s in symbols(project, ref.key, ref.scope, ref.expr) if isinstance(s, External)}
    return tf.ONE_SHOT_FUNCTION in names or any(
        name.startswith("tensorflow.") and name.endswith(f"Dataset.{tf.ONE_SHOT_METHOD}") for name in names
    )


def _is_map(project: Project, ref: Ref, call: Call) -> bool:
    """Whether the builtin calls a function once for each element of one sequence."""
    facts = project.facts(ref.key)
    assert facts is not None
    is_builtin = isinstance(call.func, Name) and call.func.id == "map" and not lookup(facts, ref.scope, "map")
    return is_builtin and len(call.args) == 2 and not call.keywords


def _on_first_use(project: Project, key: str) -> list[Creation]:
    """The iterators that are made by the module which fixes add."""
    facts = project.facts(key)
    found = []
    for site in facts.calls if facts is not None else ():
        func = site.call.func
        if isinstance(func, Attribute) and func.attr == "make" and isinstance(func.value, Name):
            module = lookup(facts, site.scope, func.value.id) if facts is not None else None
            targets = [binding.target for binding in module.bindings] if module is not None else []
            if any(one and (one.name or one.module).startswith(GENERATED_MODULE) for one in targets):
                ref = ref_of_call(key, site)
                found.append(Creation(ref, "first-use", argument(site.call, "dataset", 0)))
    return found


def _creation(project: Project, ref: Ref, call: Call, method: str, function: str) -> Creation | None:
    func = call.func
    if isinstance(func, Name) and func.id == "getattr":
        return _reflection(project, ref, call, method)
    if last_name(func) == _METHOD_CALLER:
        is_ours = bool(call.args) and isinstance(call.args[0], Constant) and call.args[0].value == method
        return Creation(ref, "reflection", None) if is_ours else None
    named = last_name(func) == method
    found = symbols(project, ref.key, ref.scope, func)
    externals = {symbol.name for symbol in found if isinstance(symbol, External)}
    if function in externals:
        dataset = call.args[0] if call.args else next((k.value for k in call.keywords), None)
        return Creation(ref, "function", dataset)
    if method == tf.ONE_SHOT_METHOD and tf.ONE_SHOT_RAW_OP in externals:
        return Creation(ref, "raw-op", None)
    if isinstance(func, Name) and call.args:
        return _function_or_unbound(ref, call, externals, method)
    if not named or not isinstance(func, Attribute) or _is_project_method(project, ref, func):
        return None
    if call.args or any(keyword.name is not None for keyword in call.keywords):
        return _function_or_unbound(ref, call, externals, method)
    return None if _is_module(project, ref, func.value) else Creation(ref, "method", func.value)


def _function_or_unbound(ref: Ref, call: Call, externals: set[str], method: str) -> Creation | None:
    """``tf.data.Dataset.make_one_shot_iterator(ds)``; other libraries' functions are none of ours."""
    for name in externals:
        if name.startswith("tensorflow.") and name.endswith(f"Dataset.{method}") and call.args:
            return Creation(ref, "unbound", call.args[0])
    return None


def _is_module(project: Project, ref: Ref, receiver: Expr) -> bool:
    """Whether the receiver is a module bound by a plain ``import``: then the name is a function of it."""
    facts = project.facts(ref.key)
    root = dotted(receiver)
    if facts is None or root is None:
        return False
    found = lookup(facts, ref.scope, root[0].id)
    if found is None:
        return False
    targets = [binding.target for binding in found.bindings]
    return not root[1] and all(target is not None and target.name is None for target in targets)


def _reflection(project: Project, ref: Ref, call: Call, method: str) -> Creation | None:
    """``getattr(ds, name)``, where the name is that of the method, or is put together and may be it."""
    if len(call.args) < 2:
        return None
    name = call.args[1]
    if isinstance(name, Constant):
        return Creation(ref, "reflection", call.args[0]) if name.value == method else None
    if method != tf.ONE_SHOT_METHOD or not _may_spell(name, method):
        return None
    known = evaluate(project, ref._replace(expr=name))
    is_other = known.is_known and all(one.constant != method for one in known.alternatives)
    return None if is_other else Creation(ref, "reflection", call.args[0])


def _may_spell(expr: Expr, name: str) -> bool:
    """Whether a text that is put together, of which a part is known, may be `name`."""
    pattern = _pattern(expr)
    return _KNOWN_PART in pattern and re.fullmatch(pattern, name) is not None


def _pattern(expr: Expr) -> str:
    """What a text looks like, as a regular expression."""
    if isinstance(expr, Constant) and isinstance(expr.value, str):
        return re.escape(expr.value)
    if isinstance(expr, Operation) and expr.operator == "Add":
        return "".join(map(_pattern, expr.operands))
    if isinstance(expr, Operation) and expr.operator == "Mod":
        return _PLACE_TO_FILL.sub(".*", _pattern(expr.operands[0]))
    if isinstance(expr, Other) and expr.kind == "JoinedStr":
        return "".join(map(_pattern, expr.parts))
    if isinstance(expr, Call) and isinstance(expr.func, Attribute) and expr.func.attr == "format":
        return _FIELD_TO_FILL.sub(".*", _pattern(expr.func.value))
    return ".*"


def _is_project_method(project: Project, ref: Ref, func: Attribute) -> bool:
    """Whether the receiver is an object of a project class that defines the method itself."""
    if any(isinstance(s, Definition) for s in symbols(project, ref.key, ref.scope, func)):
        return True
    if call_targets(project, ref):
        return True
    receiver = ref._replace(expr=func.value)
    return _is_defined_by_class(project, receiver, func)


def _is_defined_by_class(project: Project, ref: Ref, func: Attribute) -> bool:
    """Whether the receiver is an object of a project class with such a method."""
    receiver = ref._replace(expr=func.value)
    return any(
        func.attr in scope_of(project, owner).bindings for owner in instance_classes(project, receiver)
    )


class Holder(NamedTuple):
    """How the iterator can be spoken of after its creation.

    `text` is what reads it (``iterator``, ``self.iterator``); `each` marks a list of iterators made by a
    comprehension. `target` is the stored name or attribute.
    """

    text: str
    target: Expr
    each: bool = False


def holder(project: Project, ref: Ref) -> Holder | None:
    """The name or ``self`` attribute that the creation's statement stores the iterator to; None otherwise."""
    site = project.site(ref)
    statement = project.statement(ref)
    if site is None or statement.kind not in ("Assign", "AnnAssign"):
        return None
    each = False
    if isinstance(site.parent, Comprehension) and site.parent.kind == "ListComp":
        if site.parent.elements != (ref.expr,) or statement.values != (site.parent,):
            return None
        each = True
    elif _is_list_of_mapped(site.parent, statement.values[0], ref.expr) or _is_list_of_creations(
        site.parent, statement.values[0]
    ):
        each = True
    elif _is_choice_of_creations(statement.values[0]):
        pass
    elif site.parent is not None:
        return _tuple_holder(site.parent, statement.values[0], statement.targets, ref.expr)
    for target in statement.targets:
        text = None if target is None else spelled(target)
        if text is not None and target is not None:
            return Holder(text, target, each)
    return None


def _is_list_of_creations(parent: Expr | None, value: Expr) -> bool:
    return (
        isinstance(parent, Collection)
        and parent is value
        and parent.kind == "List"
        and all(_creates_iterator(item) for item in parent.items)
    )


def _is_list_of_mapped(parent: Expr | None, value: Expr, mapped: Expr) -> bool:
    """``list(map(tf.data.make_…, datasets))``."""
    if not isinstance(parent, Call) or parent is not value or not isinstance(mapped, Call):
        return False
    is_list = isinstance(parent.func, Name) and parent.func.id == "list" and parent.args == (mapped,)
    given = last_name(mapped.args[0]) if mapped.args else None
    return is_list and given in (tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD)


def _is_choice_of_creations(value: Expr) -> bool:
    """``a.make_…() if test else b.make_…()``."""
    if isinstance(value, Conditional):
        return all(
            _creates_iterator(arm) or _is_choice_of_creations(arm) for arm in (value.body, value.orelse)
        )
    return False


def _creates_iterator(expr: Expr) -> bool:
    return isinstance(expr, Call) and last_name(expr.func) in (tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD)


def _tuple_holder(parent: Expr, value: Expr, targets: tuple[Expr | None, ...], wanted: Expr) -> Holder | None:
    """``a, b = x.make_…(), y.make_…()``: each side by side."""
    if not isinstance(parent, Collection) or parent is not value or len(targets) != 1:
        return None
    target = targets[0]
    if not isinstance(target, Collection) or len(target.items) != len(parent.items):
        return None
    for item, stored in zip(parent.items, target.items, strict=True):
        if item is wanted:
            text = spelled(stored)
            return None if text is None else Holder(text, stored)
    return None
