"""What session hooks run beside what the session itself is asked for."""

from __future__ import annotations

from npu_migrate.index.facts import Call, Expr, argument
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.pipelines.reachability import function_of
from npu_migrate.training.porting.trains import fetch_is_seen_not_to_train
from npu_migrate.training.porting.ways import is_hook_method

_RUN_ARGS = "SessionRunArgs"


@once
def runs_asked_for(project: Project) -> tuple[Ref, ...]:
    """The calls ``tf.train.SessionRunArgs(fetches)``, with which hooks ask for more to be run."""
    made = (ref_of_call(key, site) for key, site in project.calls_named(_RUN_ARGS))
    return tuple(ref for ref in made if any(map(_is_run_args, externals_called(project, ref))))


def _is_run_args(name: str) -> bool:
    return name.startswith("tensorflow.") and name.endswith(f".{_RUN_ARGS}")


def may_train_in(project: Project, run: Ref) -> bool:
    """Whether what a call runs, or asks to be run, is not seen to be something other than training."""
    fetched = _fetched(run.expr)
    return fetched is None or not fetch_is_seen_not_to_train(project, run._replace(expr=fetched))


def _fetched(run: Expr) -> Expr | None:
    return argument(run, "fetches", 0) if isinstance(run, Call) else None


def is_of_hook(project: Project, ref: Ref) -> bool:
    """Whether code is that of a method which a session calls of its hook."""
    function = function_of(project, ref)
    return function.scope != 0 and is_hook_method(project, function)
