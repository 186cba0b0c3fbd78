"""Whether a program gets to a piece of code, ``main`` included, which ``tf.app.run()`` calls by its name."""

from __future__ import annotations

from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.reachability import (
    function_of,
    functions_before,
    is_function_reached,
    run_from,
)

_MAIN = "main"


def is_run(project: Project, ref: Ref, program: str) -> bool:
    """Whether the program runs the code at `ref`, as far as its calls show."""
    return project.facts(ref.key) is not None and is_function_run(project, function_of(project, ref), program)


@once
def is_function_run(project: Project, function: Definition, program: str) -> bool:
    """Whether the program runs a function, as far as its calls show; scope 0 is module-level code."""
    if is_function_reached(project, function, program):
        return True
    files = project.programs.by_entry[program].files
    return _runs_main(project, program) and any(
        is_main(project, one, program) for one in functions_before(project, function, run_from, files)
    )


@once
def _runs_main(project: Project, program: str) -> bool:
    """Whether the script that is started leaves it to TensorFlow to call its ``main``."""
    facts = project.facts(program)
    if facts is None:
        return False
    refs = (Ref(program, site.scope, site.statement, site.call) for site in facts.calls)
    return any(externals_called(project, ref) & APP_RUNS for ref in refs)


def is_main(project: Project, function: Definition, program: str) -> bool:
    """Whether a function is the ``main`` of the script that is started."""
    facts = project.facts(function.key)
    assert facts is not None
    return function.key == program and facts.scopes[function.scope].name == _MAIN
