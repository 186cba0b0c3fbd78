"""Whether a program gets to a piece of code, ``main`` included, which ``tf.app.run()`` calls by its name."""

from __future__ import annotations

from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.pipelines.reachability import calls_seen, function_at, is_reached, ways_to

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
    return any(is_in_main(project, one, program) for one in ways_to(project, ref, calls_seen, files))


def is_in_main(project: Project, ref: Ref, program: str) -> bool:
    """Whether the code at `ref` belongs to the function ``main`` of the script that is started."""
    facts = project.facts(ref.key)
    assert facts is not None
    return ref.key == program and facts.scopes[function_at(project, ref)].name == _MAIN
