"""Horovod in a whole program: all of it is replaced, or nothing.

Sources: DOC-HVD, DOC-AR; CODE:npu_init.py.
"""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Constant, Name, walk
from npu_migrate.index.names import code_scope
from npu_migrate.intents import (
    InsertStatement,
    Intent,
    ReplaceStatement,
    Side,
)
from npu_migrate.knowledge import npu, npu_calls
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.porting.config_edits import NAME_TAKEN
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import import_of
from npu_migrate.training.porting.features.distributed.communication import (
    communication,
    conditional_end,
    end_of_training,
)
from npu_migrate.training.porting.features.distributed.horovod import INIT, Use, horovod_uses
from npu_migrate.training.porting.features.distributed.horovod_calls import (
    binds_horovod,
    horovod_imports,
    unseen_horovod,
)
from npu_migrate.training.porting.features.found import Imported
from npu_migrate.training.porting.spelling import lines_text, source_text

WITH_OTHERS = "something else of Horovod in the program cannot be replaced"
SEVERAL_INITS = "init() is called at several places, and init_resource() has to be run once"
NO_INIT = "no call of init() is seen in the program"
NO_END = (
    "behind all of the training, in the function or module that calls init(), no place is found for "
    "shutdown_resource()"
)
SHUTDOWN_ELSEWHERE = "shutdown() is called in another function than init(), which keeps the session"
READ_OTHERWISE = (
    "Horovod's module is also used otherwise than in calls, or is not imported by a statement of its own "
    "at the top of its file"
)
COMMENTED = "an import of Horovod has a comment inside it, which would be lost"
UNSEEN = "not all that is called of Horovod in the program is seen"
LEFT_BY_A_CONVERSION = "its import is gone, and the program does not begin with init_resource()"


@once
def horovod_group(project: Project, program: str) -> Edit:
    """What replaces Horovod in a program as a whole, or the reason why nothing does."""
    files = project.programs.by_entry[program].files
    used = [use for use in horovod_uses(project) if use.ref.key in files]
    inits = [use for use in used if use.name == "init"]
    if not any(one.key in files for one in horovod_imports(project)):
        return _replaced_leftovers(project, files, used)
    if any(ref.key in files for ref in unseen_horovod(project)):
        return refused(UNSEEN)
    if any(use.change is None for use in used):
        return refused(WITH_OTHERS)
    if len(inits) != 1:
        return refused(SEVERAL_INITS if inits else NO_INIT)
    intents = [intent for use in used for intent in use.change or ()]
    ending: tuple[str, ...] = ()
    if not any(use.name == "shutdown" for use in used):
        closing = _closing(project, inits[0].ref, tuple(use.ref for use in used if use.name != "init"))
        if not closing:
            return refused(NO_END)
        intents += closing
        ending = ("shutdown_resource", "close_session")
    elif not _in_one_scope(project, used):
        return refused(SHUTDOWN_ELSEWHERE)
    if any(one.key in files and _is_commented(project, one) for one in horovod_imports(project)):
        return refused(COMMENTED)
    imports = _imports(project, files, used, ending, inits[0].ref.key)
    if isinstance(imports, str):
        return refused(imports)
    return Edit(tuple(dict.fromkeys((*intents, *imports))))


def _closing(project: Project, init: Ref, others: tuple[Ref, ...]) -> tuple[InsertStatement, ...]:
    """What ends the communication behind all trainings and `others`, the calls that need it too.

    It does so under the condition under which it was begun.
    """
    begun = communication(project, init)
    last = end_of_training(project, init, others)
    if last is not None:
        return begun.ended_behind(Place(init.key, last))
    end = conditional_end(project, init, others)
    if end is None:
        return ()
    code = "\n    ".join((f"if {end.condition}:", begun.shut_down, begun.close))
    return (InsertStatement(Place(init.key, end.last), Side.AFTER, code, 90),)


def _replaced_leftovers(project: Project, files: frozenset[str], used: list[Use]) -> Edit:
    """What replaces the calls that a conversion has left, in a program that it has given everything else."""
    begun = any(call.key in files for call in calls_of(project, npu_calls.INIT_RESOURCE))
    if any(use.change is None for use in used):
        return refused(WITH_OTHERS)
    if not begun or any(use.kind == INIT for use in used):
        return refused(LEFT_BY_A_CONVERSION)
    intents = [intent for use in used for intent in use.change or ()]
    for key in sorted({use.ref.key for use in used}):
        facts = project.facts(key)
        assert facts is not None
        names = {name for use in used if use.ref.key == key for name in use.imported}
        imports = import_of(project, facts, 0, *sorted(names))
        if imports is None:
            return refused(NAME_TAKEN)
        intents += imports
    return Edit(tuple(dict.fromkeys(intents)))


def _in_one_scope(project: Project, used: list[Use]) -> bool:
    """Whether what ``init`` gives can be read where ``shutdown`` is called."""
    scopes = set()
    for use in used:
        if use.kind == INIT:
            facts = project.facts(use.ref.key)
            assert facts is not None
            scopes.add((use.ref.key, code_scope(facts, use.ref.scope)))
    return len(scopes) == 1


def _imports(
    project: Project, files: frozenset[str], used: list[Use], ending: tuple[str, ...], home: str
) -> tuple[Intent, ...] | str:
    """What takes the place of the imports of Horovod, or the reason why nothing can."""
    found: list[Intent] = []
    for key in sorted({one.key for one in horovod_imports(project) if one.key in files}):
        imports = [one for one in horovod_imports(project) if one.key == key]
        own = [use for use in used if use.ref.key == key]
        if _is_read_otherwise(project, key, own) or not all(_stands_alone(project, one) for one in imports):
            return READ_OTHERWISE
        names = {name for use in own for name in use.imported} | ({*ending} if key == home else set())
        statements = {one.statement: one.place for one in imports}
        staying = {number for number in statements if not _can_go(project, key, number)}
        if names and not staying:
            facts = project.facts(key)
            assert facts is not None
            adding = import_of(project, facts, 0, *sorted(names))
            if adding is None:
                return NAME_TAKEN
            found += adding
        else:
            staying = staying or {min(statements)}
        code = f"from {npu.NPU_INIT} import {', '.join(sorted(names))}" if names else "import npu_bridge"
        for number, place in statements.items():
            found.append(ReplaceStatement(place, code if number in staying else ""))
    return tuple(found)


def _is_commented(project: Project, one: Imported) -> bool:
    """Whether an import statement has a comment inside it."""
    text = source_text(project, Ref(one.key, 0, one.statement, Constant(None, one.place.span)))
    return text is None


def _stands_alone(project: Project, one: Imported) -> bool:
    """Whether an import statement at the top of the module imports nothing but Horovod."""
    facts = project.facts(one.key)
    assert facts is not None
    bound = [binding for _, _, binding in facts.bindings() if binding.statement == one.statement]
    return all(map(binds_horovod, bound)) and facts.statements[one.statement].scope == 0


def _can_go(project: Project, key: str, number: int) -> bool:
    """Whether an import has lines of its own at the top of the module, without a comment."""
    facts = project.facts(key)
    assert facts is not None
    statement = facts.statements[number]
    text = lines_text(project, Place(key, statement.span))
    return statement.parent == NOTHING and text is not None and not set("#;\\").intersection(text)


def _is_read_otherwise(project: Project, key: str, used: list[Use]) -> bool:
    """Whether a name of Horovod is read where no call of it is replaced."""
    facts = project.facts(key)
    assert facts is not None
    aliases = {name for _, name, binding in facts.bindings() if binds_horovod(binding)}
    known = {
        id(expr)
        for use in used
        for expr in walk(use.ref.expr)
        if isinstance(expr, Name) and expr.id in aliases
    }
    return any(
        not site.stored and id(site.expr) not in known
        for alias in aliases
        for site in project.names(key, alias)
    )
