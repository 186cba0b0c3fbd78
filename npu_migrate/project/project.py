"""The files of a run together: facts on demand, and what names mean across files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from copy import copy
from typing import NamedTuple, TypeVar

from npu_migrate.index.facts import CallSite, Expr, FileFacts, Statement
from npu_migrate.index.indexing import Failure, Index, Indexed, NotIndexed, Sheet, index_here
from npu_migrate.index.syntax import Site
from npu_migrate.places import Place
from npu_migrate.project.one_file import OneFile
from npu_migrate.project.options import NO_OPTIONS, RuleOptions
from npu_migrate.project.programs import Relevance
from npu_migrate.project.reaching import Blocks
from npu_migrate.project.trail import Trail
from npu_migrate.sources.source import SourceError
from npu_migrate.sources.tree import SourceTree

_Answer = TypeVar("_Answer")

_ALL_FILES = "all files"
_IMPORTS = "imports"
"""What answers rest on that look at every relevant file, or at the imports of all of them."""


class Ref(NamedTuple):
    """An expression in its place: file, scope its names belong to, statement.

    `path` are the indices still to be applied to its value, when a tuple is on its way to be unpacked.
    """

    key: str
    scope: int
    statement: int
    expr: Expr
    path: tuple[int, ...] = ()

    @property
    def place(self) -> Place:
        """Where the expression stands."""
        return Place(self.key, self.expr.span)


class Gathering(NamedTuple):
    """The question for what a function gathers from all files."""

    function: Callable[[Project], object]


class Project:
    """All that rules may ask about the files. Facts are built once, when first asked for.

    `ours` are the files that mention a name of ours, `supporting` those that can matter to them. `options`
    is what the settings say beside the files. `index` builds facts, here or elsewhere. `searched` is what was
    asked for in the texts of files, comments included.

    `memo`, `memo_below` and `file_memo` are where `once` keeps answers, `waiting` how many questions wait for
    each other; `trail` notes what answers rest on, once `note_answers` was called.
    """

    def __init__(
        self,
        tree: SourceTree,
        relevance: Relevance,
        options: RuleOptions = NO_OPTIONS,
        index: Index = index_here,
    ) -> None:
        self.tree = tree
        self.relevance = relevance
        self.options = options
        self.index = index
        self.programs = relevance.programs
        self.ours = relevance.ours
        self.supporting = relevance.supporting
        self.targets = frozenset(tree.targets)
        self.folder_names = self.programs.imports.layout.folder_names
        self._facts: dict[str, Indexed] = {}
        self._files: dict[str, OneFile] = {}
        self._relevant: tuple[FileFacts, ...] | None = None
        self._calls_by_name: dict[str, list[tuple[str, CallSite]]] = {}
        self._files_by_word: dict[str, tuple[str, ...]] = {}
        self._other_importers: dict[str, tuple[str, ...]] = {}
        self._representatives: dict[str, tuple[str, ...]] = {}
        self._modules: dict[tuple[str, str, int], str | None] = {}
        self._importers: dict[str, tuple[str, ...]] | None = None
        self.trail: Trail | None = None
        self.waiting = 0
        self.memo: dict[object, object] = {}
        self.memo_below: dict[str, dict[object, object]] = {}
        self.file_memo: dict[tuple[object, str], tuple[FileFacts, object]] = {}
        self.searched: set[bytes] = set()

    def edited(
        self, tree: SourceTree, relevance: Relevance | None = None, forgotten: Collection[str] = ()
    ) -> Project:
        """The project of the same files with some texts replaced; facts of the others are kept.

        Without `relevance` the same files count as relevant. `forgotten` are files that may have changed
        although no text stands for them.
        """
        project = Project(tree, relevance or self.relevance, self.options, self.index)
        project._facts = {
            key: facts
            for key, facts in self._facts.items()
            if tree.replaced.get(key) is self.tree.replaced.get(key) and key not in forgotten
        }
        project._files = self._files
        project.file_memo = self.file_memo
        project.searched = self.searched
        if project.relevance is self.relevance:
            project._modules = self._modules
            reaching = self._reaching(self._facts.keys() - project._facts.keys())
            project.memo_below = {key: memo for key, memo in self.memo_below.items() if key not in reaching}
            project._other_importers = self._other_importers
            project._representatives = self._representatives
        return project

    def with_comments(self, tree: SourceTree) -> Project:
        """The project of the same files with other words in some comments: all that is known stays true.

        What was `searched` is in the same files. Other words in comments open gates, but behind a gate that
        only a comment opens is nothing.
        """
        project = copy(self)
        project.tree = tree
        return project

    def followed(self, question: Hashable, work: Callable[[], _Answer]) -> _Answer:
        """The answer that `work` gives to a question; what it rests on is noted if there is a trail."""
        return work() if self.trail is None else self.trail.follow(question, work)[0]

    def note_answers(self) -> None:
        """Note what each answer rests on, for `keep_answers`. To be called before any question."""
        self.trail = Trail()

    def keep_answers(self, earlier: Project, changed: Collection[str]) -> None:
        """Keep those answers of the project that this one was edited from which are still true.

        Only the files `changed` differ. `earlier` has noted what its answers rest on, and is not to be asked
        anything more.
        """
        stale = self._stale_since(earlier, changed)
        if earlier.trail is None or stale is None:
            self.note_answers()
            return
        trail = self.trail = earlier.trail
        self.memo = earlier.memo
        self._calls_by_name = {
            name: calls for name, calls in earlier._calls_by_name.items() if ("calls", name) not in stale
        }
        self._files_by_word = {
            word: keys for word, keys in earlier._files_by_word.items() if ("word", word) not in stale
        }
        gone = trail.resting_on(stale, lambda question: isinstance(question, Gathering))
        before = {one: self.memo[one] for one in gone if isinstance(one, Gathering) and one in self.memo}
        for question in (*gone, *stale):
            self.memo.pop(question, None)
        others = {one for one, known in before.items() if self._gathered(one) != known}
        for question in trail.resting_on(others):
            self.memo.pop(question, None)

    def _gathered(self, question: Gathering) -> object:
        known = self.memo.get(question)
        if known is None:
            known = self.memo[question] = self.followed(question, lambda: question.function(self))
        return known

    def forget_stale_answers(self) -> None:
        """Forget what was noted of answers that are no more."""
        if self.trail is not None:
            self.trail.keep(self.memo)

    def _stale_since(self, earlier: Project, changed: Collection[str]) -> set[Hashable] | None:
        """What answers may rest on that is another one by now; None where that may be anything."""
        if self.relevance is not earlier.relevance or not self.ours | self.supporting >= {*changed}:
            return None
        stale: set[Hashable] = {_ALL_FILES, *changed}
        stale.update(map(below, earlier._reaching(changed)))
        for key in changed:
            before, now = earlier._file_of(key), self._file_of(key)
            if before is None or now is None:
                return None
            stale.update(("calls", name) for name in {*before.calls, *now.calls})
            stale.update(("word", word) for word in before.facts.words.keys() ^ now.facts.words.keys())
            if {*before.facts.import_targets()} != {*now.facts.import_targets()}:
                stale.add(_IMPORTS)
        stale.update(question for question in earlier.memo if _is_about_text(question))
        return stale

    def _reaching(self, keys: Collection[str]) -> frozenset[str]:
        """`keys`, and the files from which modules were resolved to one of these, directly or not."""
        importers: dict[str, set[str]] = {}
        for (key, _, _), module in self._modules.items():
            if module is not None:
                importers.setdefault(module, set()).add(key)
        found = set(keys)
        stack = [*keys]
        while stack:
            further = importers.get(stack.pop(), set()) - found
            found |= further
            stack.extend(further)
        return frozenset(found)

    def take_facts(self, other: Project, keys: Collection[str] | None = None) -> None:
        """Keep what `other`, in which the files `keys` (or all) are the same, has learnt about files."""
        self._facts |= {key: known for key, known in other._facts.items() if keys is None or key in keys}

    def give_facts(self, facts: Mapping[str, FileFacts]) -> None:
        """Facts that somebody has built already, of the files as they are here."""
        self._facts |= facts

    # -- facts -----------------------------------------------------------------------------------------

    def facts(self, key: str) -> FileFacts | None:
        """The facts of a file; None when it cannot be read or parsed (see `failure`)."""
        if self.trail is not None:
            self.trail.note(key)
        return self._facts_of(key)

    def _facts_of(self, key: str) -> FileFacts | None:
        found = self._facts.get(key)
        if found is None:
            for _ in self.gather((key,)):
                pass
            found = self._facts[key]
        return found if isinstance(found, FileFacts) else None

    def failure(self, key: str) -> Exception | None:
        """Why `facts` gave None."""
        self.facts(key)
        found = self._facts[key]
        return found.error if isinstance(found, Failure) else None

    def gather(self, keys: Iterable[str]) -> Iterator[str]:
        """Build the facts of those of `keys` that have none yet, and yield each when that is done.

        The order is any.
        """
        missing = [key for key in keys if key not in self._facts]
        for key, found in self.index(sheets_of(self.tree, missing)):
            self._facts[key] = found
            yield key
        for key in missing:
            if key not in self._facts:
                self._facts[key] = self._unreadable(key)
                yield key

    def _unreadable(self, key: str) -> Failure:
        try:
            self.tree.source(key)
        except SourceError as error:
            return Failure(error)
        return Failure(NotIndexed("it changed while it was read"))

    def _file(self, key: str) -> OneFile | None:
        """What the facts of a file say by themselves; None when it has none."""
        if self.trail is not None:
            self.trail.note(key)
        return self._file_of(key)

    def _file_of(self, key: str) -> OneFile | None:
        facts = self._facts_of(key)
        if facts is None:
            return None
        known = self._files.get(key)
        if known is None or known.facts is not facts:
            known = self._files[key] = OneFile(facts)
        return known

    def sites(self, key: str, statement: int) -> dict[int, Site]:
        """Where the expressions of one statement stand, by ``id(expression)``, in source order."""
        file = self._file(key)
        return {} if file is None else file.sites(statement)

    def blocks(self, key: str) -> Blocks:
        """The statements of a file with facts, by the block they lie in."""
        file = self._file(key)
        assert file is not None
        return file.blocks

    def block(self, facts: FileFacts, parent: int, name: str) -> tuple[Statement, ...]:
        """The statements of one block, in order; ``NOTHING, "body"`` is the module's top level."""
        return self.blocks(facts.key).get((parent, name), ())

    def mentions(self, text: str) -> bool:
        """Whether any file of ours contains `text`, in code, a string or a comment."""
        memo_key = ("mentions", text)
        if self.trail is not None:
            self.trail.note(memo_key)
        known = self.memo.get(memo_key)
        if known is None:
            wanted = text.encode()
            known = any(
                wanted in self.tree.python(key)
                for key in sorted(self.ours)
                if self._facts_of(key) is not None
            )
            self.memo[memo_key] = known
        return bool(known)

    def names(self, key: str, word: str) -> tuple[Site, ...]:
        """Where a file has the name `word`, read or stored, in source order."""
        return self._mentions(key, word)[0]

    def attributes(self, key: str, word: str) -> tuple[Site, ...]:
        """Where a file has an attribute called `word`, read or stored, in source order."""
        return self._mentions(key, word)[1]

    def _mentions(self, key: str, word: str) -> tuple[tuple[Site, ...], tuple[Site, ...]]:
        """The sites of a word as a name, and as an attribute."""
        file = self._file(key)
        return ((), ()) if file is None else file.mentions(word)

    def relevant(self) -> tuple[FileFacts, ...]:
        """The facts of all files of ours and of those that support them, in order of their keys."""
        if self.trail is not None:
            self.trail.note(_ALL_FILES)
        return self._relevant_facts()

    def _relevant_facts(self) -> tuple[FileFacts, ...]:
        if self._relevant is None:
            found = map(self._facts_of, sorted(self.ours | self.supporting))
            self._relevant = tuple(facts for facts in found if facts is not None)
        return self._relevant

    def files_mentioning(self, word: str) -> tuple[str, ...]:
        """The relevant files in whose expressions `word` is a name or an attribute, in order."""
        if self.trail is not None:
            self.trail.note(("word", word))
        known = self._files_by_word.get(word)
        if known is None:
            known = tuple(facts.key for facts in self._relevant_facts() if word in facts.words)
            self._files_by_word[word] = known
        return known

    def calls_named(self, name: str) -> list[tuple[str, CallSite]]:
        """All calls in relevant files whose callee's last identifier is `name`, with their file."""
        if self.trail is not None:
            self.trail.note(("calls", name))
        known = self._calls_by_name.get(name)
        if known is None:
            known = [
                (facts.key, site)
                for facts in self._relevant_facts()
                for site in self._calls_of(facts).get(name, ())
            ]
            self._calls_by_name[name] = known
        return known

    def _calls_of(self, facts: FileFacts) -> dict[str, list[CallSite]]:
        """The calls of one file by the last identifier of their callees."""
        file = self._file_of(facts.key)
        assert file is not None
        return file.calls

    # -- modules ---------------------------------------------------------------------------------------

    def programs_of(self, key: str) -> tuple[str, ...]:
        """The entry scripts of the programs that the file `key` belongs to, in order."""
        return self.programs.programs_of(key)

    def neighbours(self, key: str) -> frozenset[str]:
        """The files of all programs that `key` belongs to, itself included."""
        return self.programs.neighbours_of((key,)) | {key}

    def other_importers(self, home: str, word: str) -> tuple[str, ...]:
        """The files without a role of their own that import the file `home` and contain `word`, in order.

        They are read on demand, where a value or a call may lead into them.
        """
        known = self._other_importers.get(home)
        if known is None:
            found = set()
            for entry in self.programs.programs_of(home):
                program = self.programs.by_entry[entry]
                for key in program.files - self.ours - self.supporting:
                    if home in self.programs.imports.imports_of(key, program.search_path):
                        found.add(key)
            known = self._other_importers[home] = tuple(sorted(found))
        text = word.encode()
        return tuple(key for key in known if self.contains(key, text))

    def contains(self, key: str, text: bytes) -> bool:
        """Whether a file that can be read has `text` anywhere: in code, a string or a comment."""
        if self.trail is not None:
            self.trail.note(key)
        self.searched.add(text)
        try:
            return text in self.tree.python(key)
        except OSError:
            return False

    def resolve_module(self, key: str, module: str, level: int) -> str | None:
        """The file that `key` means by ``module``; None outside the project.

        None too when the programs that share the file mean different files by it.
        """
        question = (key, module, level)
        if question not in self._modules:
            found = {
                self.programs.resolve(entry, key, module, level) for entry in self._representatives_of(key)
            }
            self._modules[question] = found.pop() if len(found) == 1 else None
        return self._modules[question]

    def _representatives_of(self, key: str) -> tuple[str, ...]:
        """One of the file's programs for each search path among them: the others find the same modules."""
        known = self._representatives.get(key)
        if known is None:
            by_path = {self.programs.by_entry[entry].search_path: entry for entry in self.programs_of(key)}
            known = self._representatives[key] = tuple(sorted(by_path.values()))
        return known

    def importers(self, key: str) -> tuple[str, ...]:
        """The relevant files that import the file `key`, in order."""
        if self.trail is not None:
            self.trail.note(_IMPORTS)
        if self._importers is None:
            found: dict[str, list[str]] = {}
            for facts in self._relevant_facts():
                for module in sorted(self._imported_by(facts)):
                    found.setdefault(module, []).append(facts.key)
            self._importers = {module: tuple(keys) for module, keys in found.items()}
        return self._importers.get(key, ())

    def _imported_by(self, facts: FileFacts) -> set[str]:
        modules = set()
        for target in set(facts.import_targets()):
            modules.add(self.resolve_module(facts.key, target.module, target.level))
            if target.name is not None and target.name != "*":
                dotted = f"{target.module}.{target.name}" if target.module else target.name
                modules.add(self.resolve_module(facts.key, dotted, target.level))
        return {module for module in modules if module is not None and module != facts.key}

    # -- places ----------------------------------------------------------------------------------------

    def statement(self, ref: Ref) -> Statement:
        """The statement that an expression stands in."""
        facts = self.facts(ref.key)
        assert facts is not None
        return facts.statements[ref.statement]

    def site(self, ref: Ref) -> Site | None:
        """Where the expression of `ref` stands; None for one that its statement does not contain."""
        return self.sites(ref.key, ref.statement).get(id(ref.expr))

    def ref_of(self, key: str, site: Site) -> Ref:
        """The expression of a site as a `Ref`."""
        return Ref(key, site.scope, site.statement, site.expr)

    def parent_ref(self, ref: Ref) -> Ref | None:
        """The expression directly around `ref`; None at the top of a statement."""
        site = self.site(ref)
        if site is None or site.parent is None:
            return None
        outer = self.sites(ref.key, ref.statement)[id(site.parent)]
        return Ref(ref.key, outer.scope, outer.statement, outer.expr)


def sheets_of(tree: SourceTree, keys: Iterable[str]) -> Iterator[Sheet]:
    """The texts of files, without those that cannot be read."""
    for key in keys:
        with contextlib.suppress(SourceError):
            source = tree.source(key)
            yield Sheet(key, source.text, source.pieces if source.notebook is not None else ())


def below(key: str) -> Hashable:
    """What answers rest on that `once_below` keeps for the file `key`."""
    return "below", key


def _is_about_text(question: object) -> bool:
    """Whether a question is that of `Project.mentions`."""
    return isinstance(question, tuple) and question[:1] == ("mentions",)
