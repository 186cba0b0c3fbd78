"""The intents that make an iterator one that sessions initialize when they first use it."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability
from npu_migrate.index.gate import GENERATED_MODULE
from npu_migrate.intents import AddImport, AddModule, Intent, PassToFunction, ReplaceExpression
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.training.pipelines.first_use.hindrances import is_in_graph_function
from npu_migrate.training.pipelines.first_use.module_place import module_place
from npu_migrate.training.pipelines.input_functions import runs_apart_from_graph, runs_in_graph_function
from npu_migrate.training.pipelines.iterators import Creation
from npu_migrate.training.pipelines.partition.feeds import stands_on
from npu_migrate.training.pipelines.placement.spot import Plan, manual

_FUNCTION = "make"

_FED = tf.PLACEHOLDERS | {"tensorflow.placeholder_with_default"}
"""What a run of the initializer alone would leave without its feed."""


def plan_first_use(project: Project, creation: Creation) -> Plan:
    """The plan for one iterator: its dataset goes to the function of the module that is added.

    No other statement changes. Not planned is what that function would leave as it is: what is made inside of
    a function of the graph, or of what only a feed makes complete.
    """
    ref = creation.ref
    if creation.form in ("raw-op", "reflection", "bound"):
        return manual(creation.form)
    if creation.form in ("mapped", "handed-on"):
        return manual("handed-on")
    if runs_in_graph_function(project, ref.key, ref.scope):
        apart = runs_apart_from_graph(project, ref.key, ref.scope)
        return manual("dataset" if apart else "control-flow")
    if is_in_graph_function(project, ref):
        return manual("function")
    if stands_on(project, ref, _FED):
        return manual("feed")
    place = module_place(project, ref.key)
    if place is None:
        return manual("module-place")
    intents = (
        *_call(creation, f"{place.name}.{_FUNCTION}"),
        AddImport(ref.key, place.statement),
        AddModule(place.path, GENERATED_MODULE),
    )
    if len(intents) < 3:
        return manual("arguments")
    return Plan(intents, Applicability.SAFE, on_first_use=True)


def _call(creation: Creation, function: str) -> Iterator[Intent]:
    """The call of `function` instead of that which creates the iterator; none for one with more arguments."""
    call = creation.call
    if creation.form == "method" and not call.keywords:
        yield PassToFunction(creation.ref.place, function)
    elif creation.form != "method" and len(call.args) + len(call.keywords) == 1:
        yield ReplaceExpression(Place(creation.ref.key, call.func.span), function)
