"""The files of a run together: all that may be asked about them, and of whom.

A `Project` notes what is looked at, for those who keep answers, and hands each question on: to the
`FactStore` for what one file says, to `ModuleLookup` for imports, to `AcrossFiles` for all files at once.
It becomes another one in `npu_migrate.project.editing`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from npu_migrate.index.facts import Binding, CallSite, FileFacts, Statement, walk
from npu_migrate.index.indexing import Index, index_here
from npu_migrate.index.syntax import Site
from npu_migrate.programs.programs import Relevance
from npu_migrate.project.across_files import AcrossFiles, calls_question, word_question
from npu_migrate.project.answers import ALL_FILES, IMPORTS, Answers, about_text
from npu_migrate.project.fact_store import FactStore
from npu_migrate.project.libraries import Libraries
from npu_migrate.project.module_lookup import ModuleLookup
from npu_migrate.project.one_file import OneFile
from npu_migrate.project.options import NO_OPTIONS, RuleOptions
from npu_migrate.project.reaching import Blocks
from npu_migrate.project.ref import Ref
from npu_migrate.sources.tree import SourceTree


class Project:
    """All that rules may ask about the files. Facts are built once, when first asked for.

    `ours` are the files that mention a name of ours, `supporting` those that can matter to them. `libraries`
    says what no file of the project does about the libraries it uses, `options` what the settings say.
    `index` builds facts, here or elsewhere. `searched` is what was asked for in the texts of files, comments
    included. `answers` is where `once` keeps what was asked.
    """

    def __init__(
        self,
        tree: SourceTree,
        relevance: Relevance,
        libraries: Libraries,
        options: RuleOptions = NO_OPTIONS,
        index: Index = index_here,
    ) -> None:
        self.tree = tree
        self.relevance = relevance
        self.libraries = libraries
        self.options = options
        self.programs = relevance.programs
        self.ours = relevance.ours
        self.supporting = relevance.supporting
        self.targets = frozenset(tree.targets)
        self.folder_names = self.programs.imports.layout.folder_names
        self.searched: set[bytes] = set()
        self.answers = Answers()
        self.modules = ModuleLookup(relevance)
        self.use_store(FactStore(tree, index))

    def use_store(self, store: FactStore) -> None:
        """Take the facts from `store`, which is for the same tree."""
        self.store = store
        self.across = AcrossFiles(store, self.modules, self.ours | self.supporting)

    # -- facts -----------------------------------------------------------------------------------------

    def facts(self, key: str) -> FileFacts | None:
        """The facts of a file; None when it cannot be read or parsed (see `failure`)."""
        trail = self.answers.trail
        if trail is not None:
            trail.note(key)
        return self.store.facts(key)

    def failure(self, key: str) -> Exception | None:
        """Why `facts` gave None."""
        self.facts(key)
        return self.store.failure(key)

    def gather(self, keys: Iterable[str]) -> Iterator[str]:
        """Build the facts of those of `keys` that have none yet, and yield each when that is done.

        The order is any.
        """
        return self.store.gather(keys)

    def take_facts(self, other: Project, keys: Collection[str] | None = None) -> None:
        """Keep what `other`, in which the files `keys` (or all) are the same, has learnt about files."""
        self.store.take(other.store, keys)

    def take_facts_of_same_texts(self, other: Project) -> None:
        """Keep what `other`, in which other texts are replaced, has learnt about files that are the same."""
        self.store.take_same(other.store)

    def give_facts(self, facts: Mapping[str, FileFacts]) -> None:
        """Facts that somebody has built already, of the files as they are here."""
        self.store.give(facts)

    def _file(self, key: str) -> OneFile | None:
        trail = self.answers.trail
        if trail is not None:
            trail.note(key)
        return self.store.file(key)

    def sites(self, key: str, statement: int) -> dict[int, Site]:
        """Where the expressions of one statement stand, by ``id(expression)``, in source order."""
        file = self._file(key)
        return {} if file is None else file.sites(statement)

    def blocks(self, key: str) -> Blocks:
        """The statements of a file with facts, by the block they lie in."""
        file = self._file(key)
        assert file is not None
        return file.blocks

    def imported_at(self, key: str) -> Mapping[int, Sequence[tuple[str, Binding]]]:
        """The names that each import statement of a file with facts binds."""
        file = self._file(key)
        assert file is not None
        return file.imported_at

    def block(self, facts: FileFacts, parent: int, name: str) -> tuple[Statement, ...]:
        """The statements of one block, in order; ``NOTHING, "body"`` is the module's top level."""
        return self.blocks(facts.key).get((parent, name), ())

    def names(self, key: str, word: str) -> tuple[Site, ...]:
        """Where a file has the name `word`, read or stored, in source order."""
        file = self._file(key)
        return () if file is None else file.mentions(word)[0]

    def attributes(self, key: str, word: str) -> tuple[Site, ...]:
        """Where a file has an attribute called `word`, read or stored, in source order."""
        file = self._file(key)
        return () if file is None else file.mentions(word)[1]

    # -- all files -------------------------------------------------------------------------------------

    def relevant(self) -> tuple[FileFacts, ...]:
        """The facts of all files of ours and of those that support them, in order of their keys."""
        trail = self.answers.trail
        if trail is not None:
            trail.note(ALL_FILES)
        return self.across.facts()

    def files_mentioning(self, word: str) -> tuple[str, ...]:
        """The relevant files in whose expressions `word` is a name or an attribute, in order."""
        trail = self.answers.trail
        if trail is not None:
            trail.note(word_question(word))
        return self.across.mentioning(word)

    def calls_named(self, name: str) -> list[tuple[str, CallSite]]:
        """All calls in relevant files whose callee's last identifier is `name`, with their file."""
        trail = self.answers.trail
        if trail is not None:
            trail.note(calls_question(name))
        return self.across.calls_named(name)

    def calls_in(self, key: str, name: str) -> Sequence[CallSite]:
        """The calls in one file whose callee's last identifier is `name`, in source order."""
        file = self._file(key)
        return () if file is None else file.calls.get(name, ())

    def mentions(self, text: str) -> bool:
        """Whether any file of ours contains `text`, in code, a string or a comment.

        A file that others support may become one of ours by an edit.
        """
        question, answers = about_text(text), self.answers
        if answers.trail is not None:
            answers.trail.note(question)
        known = answers.memo.get(question)
        if known is None:
            wanted = text.encode()
            known = answers.memo[question] = any(
                wanted in self.tree.python(key)
                for key in sorted(self.ours | (self.supporting & self.tree.replaced.keys()))
                if self.store.facts(key) is not None
            )
        return bool(known)

    def python(self, key: str) -> bytes:
        """The Python text of a file; nothing of one that cannot be read."""
        trail = self.answers.trail
        if trail is not None:
            trail.note(key)
        try:
            return self.tree.python(key)
        except OSError:
            return b""

    def contains(self, key: str, text: bytes) -> bool:
        """Whether a file that can be read has `text` anywhere: in code, a string or a comment."""
        self.searched.add(text)
        return text in self.python(key)

    # -- modules ---------------------------------------------------------------------------------------

    def programs_of(self, key: str) -> tuple[str, ...]:
        """The entry scripts of the programs that the file `key` belongs to, in order."""
        return self.programs.programs_of(key)

    def neighbours(self, key: str) -> frozenset[str]:
        """The files of all programs that `key` belongs to, itself included."""
        return self.modules.neighbours(key)

    def other_importers(self, home: str, word: str) -> tuple[str, ...]:
        """The files without a role of their own that import the file `home`, or are it, and have `word`.

        They are in order, and read on demand, where a value or a call may lead into them.
        """
        text = word.encode()
        as_word = re.compile(rb"\b%b\b" % re.escape(text))
        return tuple(
            key
            for key in self.modules.other_importers(home)
            if self.contains(key, text) and as_word.search(self.python(key)) is not None
        )

    def resolve_module(self, key: str, module: str, level: int) -> str | None:
        """The file that `key` means by ``module``; None outside the project.

        None too when the programs that share the file mean different files by it.
        """
        return self.modules.resolve(key, module, level)

    def importers(self, key: str) -> tuple[str, ...]:
        """The relevant files that import the file `key`, in order."""
        trail = self.answers.trail
        if trail is not None:
            trail.note(IMPORTS)
        return self.across.importers(key)

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

    def parts(self, ref: Ref) -> Iterator[Ref]:
        """The expression of `ref` and everything below it, each in the scope in which it is evaluated.

        What stands in a lambda or a comprehension has other names than what stands around it.
        """
        sites = self.sites(ref.key, ref.statement)
        for part in walk(ref.expr):
            site = sites.get(id(part))
            yield Ref(ref.key, ref.scope if site is None else site.scope, ref.statement, part)

    def parent_ref(self, ref: Ref) -> Ref | None:
        """The expression directly around `ref`; None at the top of a statement."""
        site = self.site(ref)
        if site is None or site.parent is None:
            return None
        outer = self.sites(ref.key, ref.statement)[id(site.parent)]
        return Ref(ref.key, outer.scope, outer.statement, outer.expr)
