"""Imports: modules of the program are executed once, those of libraries are names."""

from __future__ import annotations

from collections.abc import Sequence

from npu_migrate.abstract_run.machine.run import Raised, Run
from npu_migrate.abstract_run.machine.values import External, Frame, Module, Raising, Value
from npu_migrate.index.facts import Binding, Statement


def import_modules(run: Run, frame: Frame, statement: Statement) -> None:
    """``import a.b, c as d``."""
    for name, binding in _bound(run, frame, statement):
        target = binding.target
        assert target is not None
        loaded = _module(run, frame, binding.loads or target.module, 0)
        if binding.loads:
            loaded = _module(run, frame, target.module, 0)
        _bind(run, frame, name, loaded)


def import_from(run: Run, frame: Frame, statement: Statement) -> None:
    """``from a import b, c``, and ``from a import *``."""
    for name, binding in _bound(run, frame, statement):
        target = binding.target
        assert target is not None
        assert target.name is not None
        owner = _module(run, frame, target.module, target.level)
        _bind(run, frame, name, _member(run, frame, owner, target.module, target.level, target.name))
    if statement.scope == 0 and not _bound(run, frame, statement):
        _import_stars(run, frame)


def _import_stars(run: Run, frame: Frame) -> None:
    """All names of the modules of which the file imports all names: nobody has noted which statement does."""
    for target in frame.scope.stars:
        owner = _module(run, frame, target.module, target.level)
        if isinstance(owner, Module):
            chosen = owner.frame.names.get("__all__")
            listed = getattr(chosen, "items", None)
            for name, value in owner.frame.names.items():
                if name in listed if isinstance(listed, list) else not name.startswith("_"):
                    frame.names[name] = value
            frame.module.stars.extend(owner.stars)
        elif isinstance(owner, External) and owner.name not in frame.module.stars:
            frame.module.stars.append(owner.name)


def _bound(run: Run, frame: Frame, statement: Statement) -> Sequence[tuple[str, Binding]]:
    return run.source.imported_at(frame.facts.key).get(statement.id, ())


def _bind(run: Run, frame: Frame, name: str, value: Value) -> None:
    if name in frame.scope.outer_names:
        frame.module.frame.names[name] = value
    else:
        frame.names[name] = value


def _module(run: Run, frame: Frame, module: str, level: int) -> Value:
    """The module that a name means in a file, executed if it is of the program."""
    importer = frame.facts.key
    key = run.source.resolve(importer, module, level)
    if key is None:
        if level == 0:
            parents = module.split(".")
            for count in range(1, len(parents)):
                outer = run.source.resolve(importer, ".".join(parents[:count]), 0)
                if outer is not None:
                    run.doors.load(run, outer, ".".join(parents[:count]))
        return External(f"{'.' * level}{module}")
    if level == 0:
        parents = module.split(".")
        owner: Module | None = None
        for count in range(1, len(parents) + 1):
            name = ".".join(parents[:count])
            found = run.source.resolve(importer, name, 0)
            if found is None:
                owner = None
                continue
            made = run.doors.load(run, found, name)
            if owner is not None:
                owner.frame.names.setdefault(parents[count - 1], made)
            owner = made
        assert owner is not None
        return owner
    return run.doors.load(run, key, module or frame.module.name.rpartition(".")[0])


def _member(run: Run, frame: Frame, owner: Value, module: str, level: int, name: str) -> Value:
    if isinstance(owner, External):
        key = run.source.resolve(frame.facts.key, f"{module}.{name}" if module else name, level)
        if key is not None:
            return run.doors.load(run, key, f"{module}.{name}" if module else name)
        return External(f"{owner.name}.{name}" if owner.name.strip(".") else f"{owner.name}{name}")
    assert isinstance(owner, Module)
    if name in owner.frame.names:
        return owner.frame.names[name]
    key = run.source.resolve(frame.facts.key, f"{module}.{name}" if module else name, level)
    if key is not None and key != owner.key:
        return run.doors.load(run, key, f"{module}.{name}" if module else name)
    if owner.stars:
        return External(f"{owner.stars[-1]}.{name}")
    raise Raised(Raising("ImportError"), fails=True)
