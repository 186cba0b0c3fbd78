"""Helpers that open a session for the CPU for one of their callers, and another one for others."""

from __future__ import annotations

from npu_migrate.project.project import Project
from npu_migrate.semantics.contexts import Traced, ends, traced
from npu_migrate.training.porting.session_openings import SessionOpening
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.trains import fetched_by, run_trains


def trains_for_others(project: Project, opening: SessionOpening) -> bool:
    """Whether a session, which asks for the CPU for some callers of its helper, trains for others.

    Where its runs, or for whom they are, cannot all be seen, it may, if some callers do not ask for the CPU.
    """
    given = opening.given
    if given is None:
        return False
    fetched = fetched_by(project, opening)
    for run in fetched.fetchings:
        config = run.session._replace(ref=given._replace(path=()), keys=given.path)
        if _may_be_off_the_cpu(project, config) and run_trains(project, run):
            return True
    return not fetched.complete and _may_be_off_the_cpu(project, traced(given))


def _may_be_off_the_cpu(project: Project, config: Traced) -> bool:
    """Whether some callers are seen to give a config none of which asks for the CPU.

    Who has the choice between two of them is one caller, also where one of them comes from further away.
    """
    asking, others = set[frozenset[object]](), set[frozenset[object]]()
    for end in ends(project, config):
        chain = frozenset(None if one.call is None else id(one.call.expr) for one in end.assumed)
        (asking if asks_for_cpu(project, end.ref) else others).add(chain)
    return any(not any(one <= other or other <= one for one in asking) for other in others)
