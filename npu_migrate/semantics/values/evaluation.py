"""Which constant an expression is, and why: literals, names, flags, options, configuration objects.

A value that may change, or that comes from code we cannot see, is unknown. Unknown never is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, TypeVar, cast

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Call,
    Collection,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    ImportTarget,
    Name,
    Operation,
    Other,
    Subscript,
    is_starred,
    item_at,
    last_name,
)
from npu_migrate.index.names import Found, lookup
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import (
    all_bindings,
    always_returns,
    held_bindings,
    rebinds_by_name,
)
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.parameters import default_for, passed_for
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.flow import instance_classes
from npu_migrate.semantics.objects import attribute_writes
from npu_migrate.semantics.resolution import Definition, Module, receiver_class, scope_of, symbols
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values import operations
from npu_migrate.semantics.values.arguments import namespace_of, option_value
from npu_migrate.semantics.values.call_values import call_value
from npu_migrate.semantics.values.containers import (
    field_value,
    item_value,
    passed_as,
)
from npu_migrate.semantics.values.fields import class_field, instance_field
from npu_migrate.semantics.values.flags import flag_value, holder_value, is_flags
from npu_migrate.semantics.values.value import (
    UNKNOWN,
    Step,
    Value,
    combine,
    constant,
    join,
    led_to,
)

_DEEPEST = 60
_MOST_WORK = 6000
_HARMLESS_DECORATORS = frozenset({"staticmethod", "classmethod", "property", "cached_property", "lru_cache"})
_LIST_CHANGES = frozenset({"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"})

_Answer = TypeVar("_Answer")


def evaluate(project: Project, ref: Ref, program: str | None = None) -> Value:
    """The constants that the expression `ref` may be, each with where it comes from.

    `program` is the entry script of the program in question; without it all programs of the file count,
    and a value in which they differ is unknown.
    """
    memo_key = ("value", program, ref.key, ref.expr, ref.path)
    known = project.answers.memo.get(memo_key)
    if known is None:
        known = project.answers.followed(
            memo_key, lambda: Evaluation(project, _files(project, ref.key, program)).value(ref)
        )
        project.answers.memo[memo_key] = known
    if project.answers.trail is not None:
        project.answers.trail.note(memo_key)
    return cast("Value", known)


def passed_keyword(project: Project, call: Ref, name: str, program: str | None = None) -> Value | None:
    """What a call passes as keyword `name`, ``**`` looked into; None if it passes none."""
    return Evaluation(project, _files(project, call.key, program)).passed(call, name)


def _files(project: Project, key: str, program: str | None) -> frozenset[str]:
    if program is None:
        return project.neighbours(key)
    return project.programs.by_entry[program].files | {key}


class Evaluation:
    """One evaluation within the files of some programs; it gives up on cycles and on too much work."""

    def __init__(self, project: Project, files: frozenset[str]) -> None:
        self.project = project
        self.files = files
        self._busy: set[Hashable] = set()
        self._known: dict[Hashable, object] = {}
        self._work = 0
        self._cuts = 0

    def value(self, ref: Ref) -> Value:
        """The value of an expression, unpacked along its path."""
        if ref.path:
            return self._unpacked(ref)
        handler = self._HANDLERS.get(type(ref.expr))
        if handler is None:
            return UNKNOWN
        return self.answered(ref.expr, lambda: handler(self, ref, ref.expr), UNKNOWN)

    def answered(self, question: Hashable, find: Callable[[], _Answer], given_up: _Answer) -> _Answer:
        """What `find` finds, remembered for `question`; `given_up` if that needs itself, or too much work.

        All that leads from one expression to the next has to be asked in this way, or code that refers to
        itself would be followed for ever.
        """
        if question in self._known:
            return cast("_Answer", self._known[question])
        if question in self._busy or len(self._busy) > _DEEPEST or self._work > _MOST_WORK:
            self._cuts += 1
            return given_up
        self._busy.add(question)
        self._work += 1
        cuts = self._cuts
        found = find()
        self._busy.discard(question)
        if cuts == self._cuts:
            self._known[question] = found
        return found

    # -- parts -----------------------------------------------------------------------------------------

    def _unpacked(self, ref: Ref) -> Value:
        expr, first = ref.expr, ref.path[0]
        if isinstance(expr, Collection) and expr.kind != "Set":
            item = item_at(expr.items, first)
            return UNKNOWN if item is None else self.value(ref._replace(expr=item, path=ref.path[1:]))
        if isinstance(expr, Conditional):
            return join([self.value(ref._replace(expr=part)) for part in self._branches(ref, expr)])
        whole = self.value(ref._replace(path=()))
        return combine(lambda found: _at(found[0], ref.path), [whole])

    def _collection(self, ref: Ref, expr: Collection) -> Value:
        if expr.kind == "Set" or _has_star(expr) or (expr.kind == "List" and self._is_changed(ref)):
            return UNKNOWN
        make = list if expr.kind == "List" else tuple
        return combine(make, [self.value(ref._replace(expr=item)) for item in expr.items])

    def _is_changed(self, ref: Ref) -> bool:
        """Whether a list is changed after it was made."""
        for use in uses(self.project, ref):
            if use.kind == "attribute" and use.name in _LIST_CHANGES:
                return True
            if use.kind == "contained" and isinstance(use.ref.expr, Subscript):
                site = self.project.site(use.ref)
                if site is not None and site.stored:
                    return True
        return False

    def _operation(self, ref: Ref, expr: Operation) -> Value:
        if expr.operator == "Compare":
            return UNKNOWN
        values = [self.value(ref._replace(expr=item)) for item in expr.operands]
        return combine(lambda found: operations.operate(expr.operator, found), values)

    def _conditional(self, ref: Ref, expr: Conditional) -> Value:
        return join([self.value(ref._replace(expr=part)) for part in self._branches(ref, expr)])

    def _branches(self, ref: Ref, expr: Conditional) -> tuple[Expr, ...]:
        """The branches of a conditional expression that constants leave; a default rules out none."""
        test = self.value(ref._replace(expr=expr.test))
        if test.is_default:
            return expr.body, expr.orelse
        if test.every(bool):
            return (expr.body,)
        return (expr.orelse,) if test.every(lambda value: not value) else (expr.body, expr.orelse)

    def _subscript(self, ref: Ref, expr: Subscript) -> Value:
        index = self.value(ref._replace(expr=expr.item))
        if index.only is None:
            return UNKNOWN
        found = item_value(self, ref._replace(expr=expr.value), index.only.constant)
        if found.is_known:
            return found
        return combine(lambda parts: parts[0][parts[1]], [self.value(ref._replace(expr=expr.value)), index])

    def _other(self, ref: Ref, expr: Other) -> Value:
        if expr.kind == "NamedExpr":
            return self.value(ref._replace(expr=expr.parts[1]))
        if expr.kind == "JoinedStr":
            parts = [self.value(ref._replace(expr=part)) for part in expr.parts]
            return combine(lambda found: "".join(map(str, found)), parts)
        if expr.kind.startswith("FormattedValue"):
            conversion = expr.kind.partition("!")[2]
            parts = [self.value(ref._replace(expr=part)) for part in expr.parts]
            return combine(lambda found: operations.format_text(conversion, *found), parts)
        return UNKNOWN

    # -- names -----------------------------------------------------------------------------------------

    def _name(self, ref: Ref, expr: Name) -> Value:
        facts = self._facts(ref.key)
        found = lookup(facts, ref.scope, expr.id)
        if found is None:
            return self._starred_name(facts, expr.id)
        rebound = found.scope == 0 and rebinds_by_name(facts)
        if rebound or receiver_class(facts, ref.scope, expr.id) != NOTHING:
            return UNKNOWN
        blocks = self.project.blocks(facts.key)
        bindings = held_bindings(facts, blocks, found, expr.id, ref.scope, ref.statement)
        if bindings is None:
            return self._variable(facts, found, expr.id)
        return join([self._binding(facts, found.scope, expr.id, binding) for binding in bindings])

    def _variable(self, facts: FileFacts, found: Found, name: str) -> Value:
        """A variable that is read at a time that cannot be told: all its bindings must agree."""
        bindings = all_bindings(facts, found, name)
        value = join([self._binding(facts, found.scope, name, binding) for binding in bindings])
        return value if len(bindings) == 1 or value.only is not None else UNKNOWN

    def _binding(self, facts: FileFacts, scope: int, name: str, binding: Binding) -> Value:
        if binding.kind == "param":
            return self.parameter(Definition(facts.key, scope), name)
        if binding.target is not None:
            return self._imported(facts, binding.target)
        if binding.kind != "assign" or binding.value is None:
            return UNKNOWN
        ref = Ref(facts.key, binding.scope, binding.statement, binding.value, binding.path)
        return led_to(self.value(ref), Step(ref, f"the value of {name}", name))

    def _imported(self, facts: FileFacts, target: ImportTarget) -> Value:
        module = self.project.resolve_module(facts.key, target.module, target.level)
        if module is None or target.name is None:
            return UNKNOWN
        return self.module_variable(module, target.name)

    def _starred_name(self, facts: FileFacts, name: str) -> Value:
        modules = [
            self.project.resolve_module(facts.key, star.module, star.level)
            for scope in facts.scopes
            for star in scope.stars
        ]
        values = [self.module_variable(module, name) for module in modules if module not in (None, facts.key)]
        return join([value for value in values if value.is_known])

    def module_variable(self, module: str | None, name: str) -> Value:
        """The value that a module-level variable of a project module has once the module is loaded."""
        facts = self.project.facts(module) if module is not None else None
        if facts is None or rebinds_by_name(facts):
            return UNKNOWN
        return self.answered((facts.key, name), lambda: self._module_variable(facts, name), UNKNOWN)

    def _module_variable(self, facts: FileFacts, name: str) -> Value:
        found = lookup(facts, 0, name)
        value = self._starred_name(facts, name) if found is None else self._variable(facts, found, name)
        written = value.is_known and self._is_written(Module(facts.key), name)
        return UNKNOWN if written else value

    def _is_written(self, owner: Module, name: str) -> bool:
        """Whether code stores to ``module.<name>``."""
        target = frozenset({(owner, ())})
        return any(
            owner in symbols(self.project, write.place.key, write.place.scope, write.place.expr)
            for write in attribute_writes(self.project, self.files, target, name)
        )

    # -- parameters ------------------------------------------------------------------------------------

    def parameter(self, target: Definition, name: str, sites: tuple[Ref, ...] | None = None) -> Value:
        """The value of parameter `name` of a function, out of all its calls or only those at `sites`."""
        scope = scope_of(self.project, target)
        found = next((p for p in scope.parameters if p.name == name), None)
        if found is None or found.kind in ("varargs", "varkeywords"):
            return UNKNOWN
        default = self._default(target, name)
        if sites is not None:
            return join([self._passed(site, target, name, default) for site in sites])
        known = callers(self.project, target)
        visible = [site for site in known.sites if site.key in self.files]
        partials = [site for site in known.partials if site.key in self.files]
        if known.hidden or (known.escapes and (visible or partials)):
            return UNKNOWN
        if not visible and not partials:
            return default
        values = [self._passed(site, target, name, default) for site in visible]
        values += [self._fixed(site, target, name, default) for site in partials]
        return join(values)

    def _default(self, target: Definition, name: str) -> Value:
        ref = default_for(self.project, target, name)
        if ref is None:
            return UNKNOWN
        return led_to(self.value(ref), Step(ref, f"the default of parameter {name}", name, is_default=True))

    def _passed(self, site: Ref, target: Definition, name: str, default: Value) -> Value:
        given = passed_for(self.project, site, target, name)
        if given.value is not None:
            return led_to(self.value(given.value), Step(given.value, f"the value passed as {name}", name))
        if not given.is_counted:
            return UNKNOWN
        passed = passed_as(self, site, name)
        if passed is None:
            return UNKNOWN
        return join([*passed.values, default]) if passed.may_lack else join(passed.values)

    def _fixed(self, partial: Ref, target: Definition, name: str, default: Value) -> Value:
        """What a ``functools.partial`` call passes, as if it were the call itself."""
        call = cast(Call, partial.expr)
        site = partial._replace(expr=Call(call.func, call.args[1:], call.keywords, call.span))
        return self._passed(site, target, name, default)

    def passed(self, site: Ref, name: str) -> Value | None:
        """What a call passes as keyword `name`; None if it does not pass it."""
        passed = passed_as(self, site, name)
        if passed is None or (passed.may_lack and passed.values):
            return UNKNOWN
        return None if passed.may_lack else join(passed.values)

    # -- attributes ------------------------------------------------------------------------------------

    def attribute(self, receiver: Ref, attr: str) -> Value:
        """The value of ``receiver.<attr>``."""
        question = (receiver.expr, receiver.path, attr)
        return self.answered(question, lambda: self._attribute(receiver, attr), UNKNOWN)

    def _attribute(self, receiver: Ref, attr: str) -> Value:
        project = self.project
        if is_flags(project, receiver):
            return flag_value(self, attr)
        if attr == "value":
            held = holder_value(self, receiver)
            if held is not None:
                return held
        found = symbols(project, receiver.key, receiver.scope, receiver.expr)
        if found:
            return join([self._attribute_of_symbol(symbol, attr) for symbol in found])
        namespace = namespace_of(project, receiver)
        if namespace is not None:
            return option_value(self, namespace, attr)
        made = field_value(self, receiver, attr)
        if made is not None:
            return made
        owners = instance_classes(project, receiver)
        return instance_field(self, receiver, owners, attr) if owners else UNKNOWN

    def _attribute_of_symbol(self, symbol: object, attr: str) -> Value:
        if isinstance(symbol, Module):
            return self.module_variable(symbol.key, attr)
        if isinstance(symbol, Definition) and scope_of(self.project, symbol).kind == "class":
            return class_field(self, symbol, attr)
        return UNKNOWN

    # -- functions -------------------------------------------------------------------------------------

    def returned(self, target: Definition) -> Value:
        """The value that a function returns, whichever way through it is taken."""
        scope = scope_of(self.project, target)
        if any(last_name(item) not in _HARMLESS_DECORATORS for item in scope.decorators):
            return UNKNOWN
        if scope.kind == "function":
            blocks = self.project.blocks(target.key)
            if not always_returns(blocks, scope.statement):
                return UNKNOWN
        values = returned_values(self.project, target)
        step = f"the value returned by {scope.name}()"
        return join([led_to(self.value(ref), Step(ref, step, scope.name)) for ref in values])

    def _facts(self, key: str) -> FileFacts:
        facts = self.project.facts(key)
        assert facts is not None
        return facts

    # Functions and not bound methods: an evaluation that holds itself would wait for the garbage collector.
    _HANDLERS: ClassVar[Mapping[type, Callable[[Evaluation, Ref, Any], Value]]] = {
        Constant: lambda self, ref, expr: constant(expr.value),
        Name: _name,
        Attribute: lambda self, ref, expr: self.attribute(ref._replace(expr=expr.value), expr.attr),
        Call: call_value,
        Collection: _collection,
        Operation: _operation,
        Conditional: _conditional,
        Subscript: _subscript,
        Other: _other,
    }


def _has_star(expr: Collection) -> bool:
    return any(map(is_starred, expr.items))


def _at(whole: Any, path: tuple[int, ...]) -> Any:
    for index in path:
        if not isinstance(whole, (tuple, list, str)):
            raise TypeError(whole)
        whole = whole[index]
    return whole
