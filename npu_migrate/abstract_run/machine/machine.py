"""The interpreter, put together; and the way of a program from its entry to its end."""

from __future__ import annotations

import warnings

from npu_migrate.abstract_run.log import Log
from npu_migrate.abstract_run.machine.calling import call
from npu_migrate.abstract_run.machine.containers import items_of
from npu_migrate.abstract_run.machine.expressions import evaluate
from npu_migrate.abstract_run.machine.managers import attribute
from npu_migrate.abstract_run.machine.raising import ENDLESS, kind_of
from npu_migrate.abstract_run.machine.run import Doors, Exhausted, Lost, Pruned, Raised, Run
from npu_migrate.abstract_run.machine.statements import block
from npu_migrate.abstract_run.machine.values import Module
from npu_migrate.index.facts import NOTHING

OUT_OF_SIGHT = "lost"
ENDS = "ends"
PRUNED = "pruned"
FAILS = "fails"
OURS = "a mistake of npu-migrate: it failed while it followed"
"""How the warning begins that tells a failure of the interpreter itself."""


def load(run: Run, key: str, name: str) -> Module:
    """The module of a file, which is executed when it is loaded for the first time."""
    known = run.modules.get(key)
    if known is not None:
        return known
    facts = run.source.facts(key)
    if facts is None:
        raise Lost(f"`{name}` cannot be read")
    module = run.modules[key] = Module(key, facts, name)
    if len(run.frames) > run.budget.calls_within_calls:
        raise run.exhausted("imports lie deeper in each other than is looked at")
    run.frames.append(module.frame)
    trying, run.trying = run.trying, 0
    excusing, run.excusing = run.excusing, 0
    try:
        for _ in block(run, module.frame, run.source.blocks(key).get((NOTHING, "body"), ())):
            raise run.lost("a module gives a value")
    except Exhausted:
        raise
    except Lost:
        nothing_before = not run.log.events and all(one.scope.id == 0 for one in run.frames)
        if nothing_before and not run.log.stuck_in and key != run.main:
            run.log.stuck_in = key
        raise
    finally:
        run.frames.pop()
        run.trying, run.excusing = trying, excusing
    return module


DOORS = Doors(evaluate, block, call, attribute, items_of, load)


def follow(run: Run, entry: str) -> Log:
    """Run a program from its entry to its end. What comes of it is in the log."""
    log = run.log
    run.main = entry
    try:
        load(run, entry, "__main__")
        log.end = ENDS
    except Raised as raised:
        log.end_place = raised.place
        kind = kind_of(raised.value)
        if raised.fails:
            log.end = f"{FAILS}: {kind}"
        else:
            log.end = ENDS if kind in ("SystemExit", ENDLESS) else f"raises {kind}"
    except Pruned as pruned:
        log.end = f"{PRUNED} {pruned.turn}"
    except Lost as lost:
        log.end = OUT_OF_SIGHT
        log.reason = lost.reason
        log.end_place = lost.place
    except RecursionError:
        log.end = OUT_OF_SIGHT
        log.reason = "the program is nested more deeply than is looked at"
    except Exception as error:  # a mistake of ours costs one verdict, and is seen
        log.end = OUT_OF_SIGHT
        log.reason = f"following the program failed: {type(error).__name__}: {error}"
        warnings.warn(f"{OURS} {entry}: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=1)
    return log
