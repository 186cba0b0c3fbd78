"""Iterators that can get no name where they are made: in a comprehension, a lambda, a conditional expression,
or by a function that gets TensorFlow's function.

A function of the file makes them instead, and registers their initializers:

    def make_registered_iterator(dataset):
        iterator = dataset.make_initializable_iterator()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator
"""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, FileFacts
from npu_migrate.index.names import code_scope, spelled
from npu_migrate.intents import InsertStatement, Intent, PassToFunction, ReplaceExpression, Side
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.training.pipelines.iterators import Creation, holder, one_shot_creations
from npu_migrate.training.pipelines.placement.naming import fresh_name, unbindable
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.placement.spot import Spot

NAME = "make_registered_iterator"

_FORMS = ("method", "function", "handed-on", "mapped")
_TEXT = """\
def {name}(dataset):
    iterator = {make}
    {tf}.add_to_collection({tf}.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator
"""


def made_by_helper(project: Project, creation: Creation) -> tuple[Intent, ...] | None:
    """What makes and registers the iterator by a function, which is written into the file; None where the
    iterator is made in another way than usual."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    nameless = _nameless(project, ref.key)
    spelling = tensorflow_spelling(project, facts, 0)
    if spelling is None or not nameless or creation.form not in _FORMS or _has_more_arguments(creation):
        return None
    make = _make(nameless[0], spelling)
    name = fresh_name(project, facts, 0, (), NAME)
    replaced: Intent = PassToFunction(ref.place, name)
    if creation.form != "method":
        replaced = ReplaceExpression(Place(ref.key, creation.function.span), name)
    first = min(_top(facts, one.ref.statement) for one in nameless)
    code = _blank_before(facts, first) + _TEXT.format(name=name, make=make, tf=spelling) + "\n"
    return (replaced, InsertStatement(Place(ref.key, facts.statements[first].span), Side.BEFORE, code))


def _has_more_arguments(creation: Creation) -> bool:
    """Whether a method is called with something, which a function that gets the dataset would lose."""
    return creation.form == "method" and bool(creation.call.keywords)


def _make(creation: Creation, spelling: str) -> str:
    """How the function makes an iterator, as far as can be in the spelling of one that is made now."""
    if creation.form == "method":
        return f"dataset.{tf.INITIALIZABLE_METHOD}()"
    owner = (spelled(creation.function) or "").rpartition(".")[0] or f"{spelling}.compat.v1.data"
    return f"{owner}.{tf.INITIALIZABLE_METHOD}(dataset)"


def spot_of_helper(project: Project, creation: Creation, fresh: str) -> Spot:
    """The iterator as it is seen by whoever initializes it elsewhere."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    statement = facts.statements[ref.statement]
    return Spot(
        project, facts, creation, code_scope(facts, ref.scope), statement, None, fresh, ref.expr.span[0]
    )


def _nameless(project: Project, key: str) -> list[Creation]:
    """The iterators of a file that can get no name, of which the first one decides where the function is."""
    return [
        one
        for one in one_shot_creations(project, key)
        if one.form in _FORMS
        and holder(project, one.ref) is None
        and (unbindable(project, one.ref) or one.form in ("handed-on", "mapped"))
    ]


def _blank_before(facts: FileFacts, number: int) -> str:
    """What is missing of two blank lines before a statement of the module."""
    earlier = [one.span[2] for one in facts.statements[:number]]
    there = facts.statements[number].span[0] - max(earlier, default=0) - 1
    return "\n" * max(0, 2 - there)


def _top(facts: FileFacts, number: int) -> int:
    """The statement at module level that contains a statement."""
    while facts.statements[number].parent != NOTHING:
        number = facts.statements[number].parent
    return number
