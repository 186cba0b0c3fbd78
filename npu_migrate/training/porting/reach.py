"""Whether a program gets to a piece of code, ``main`` included, which ``tf.app.run()`` calls by its name."""

from __future__ import annotations

from npu_migrate.index.names import enclosing_function
from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import activations, externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.reachability import constructions, is_reached

_MAIN = "main"


def is_run(project: Project, ref: Ref, program: str) -> bool:
    """Whether the program runs the code at `ref`, as far as its calls show."""
    if is_reached(project, ref, program):
        return True
    return _runs_main(project, program) and _is_behind_main(project, ref, program)


@once
def _runs_main(project: Project, program: str) -> bool:
    """Whether the script that is started leaves it to TensorFlow to call its ``main``."""
    facts = project.facts(program)
    if facts is None:
        return False
    refs = (Ref(program, site.scope, site.statement, site.call) for site in facts.calls)
    return any(externals_called(project, ref) & APP_RUNS for ref in refs)


def _is_behind_main(project: Project, ref: Ref, program: str) -> bool:
    files = project.programs.by_entry[program].files
    seen: set[Definition] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        facts = project.facts(current.key)
        if facts is None or current.key not in files:
            continue
        function = enclosing_function(facts, current.scope)
        if current.key == program and facts.scopes[function].name == _MAIN:
            return True
        definition = Definition(current.key, function)
        if function and definition not in seen:
            seen.add(definition)
            stack.extend(references(project, definition))
            stack.extend(activations(project, definition))
            stack.extend(constructions(project, definition))
    return False
