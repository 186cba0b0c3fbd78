"""A project after its files have changed: what stays known of facts, imports and answers.

The facts of a file depend on that file alone, what an import means on imports alone, an answer on anything.
So an edited project keeps the first two and starts without answers, unless the earlier one has noted what
they rest on.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from copy import copy

from npu_migrate.programs.programs import Relevance
from npu_migrate.project.across_files import calls_question, word_question
from npu_migrate.project.answers import ALL_FILES, IMPORTS, Gathering, below, is_about_text
from npu_migrate.project.project import Project
from npu_migrate.sources.tree import SourceTree


def edited(
    project: Project, tree: SourceTree, relevance: Relevance | None = None, forgotten: Collection[str] = ()
) -> Project:
    """The project of the same files with some texts replaced; facts of the others are kept.

    Without `relevance` the same files count as relevant. `forgotten` are files that may have changed although
    no text stands for them.
    """
    later = Project(tree, relevance or project.relevance, project.libraries, project.options)
    same_imports = later.relevance is project.relevance
    if same_imports:
        later.modules = project.modules
    later.use_store(project.store.edited(tree, forgotten))
    changed = project.store.known() - later.store.known()
    later.answers = project.answers.after_changes(project.modules.reaching(changed) if same_imports else None)
    later.searched = project.searched
    return later


def with_comments(project: Project, tree: SourceTree) -> Project:
    """The project of the same files with other words in some comments: all that is known stays true.

    What was `searched` is in the same files. Other words in comments open gates, but behind a gate that only
    a comment opens is nothing.
    """
    later = copy(project)
    later.tree = tree
    later.store.read_from(tree)
    return later


def keep_answers(project: Project, earlier: Project, changed: Collection[str]) -> None:
    """Keep those answers of `earlier`, which `project` was edited from, that are still true.

    Only the files `changed` differ. `earlier` has noted what its answers rest on, and is not to be asked
    anything more.
    """
    stale = _stale_since(project, earlier, changed)
    trail = earlier.answers.trail
    if trail is None or stale is None:
        project.answers.note_what_they_rest_on()
        return
    project.answers.trail = trail
    memo = project.answers.memo = earlier.answers.memo
    project.across.take_over(earlier.across, stale)
    gone = trail.resting_on(stale, lambda question: isinstance(question, Gathering))
    before = {one: memo[one] for one in gone if isinstance(one, Gathering) and one in memo}
    for question in (*gone, *stale):
        memo.pop(question, None)
    others = {one for one, known in before.items() if _gathered(project, one) != known}
    for question in trail.resting_on(others):
        memo.pop(question, None)


def _gathered(project: Project, question: Gathering) -> object:
    answers = project.answers
    known = answers.memo.get(question)
    if known is None:
        known = answers.memo[question] = answers.followed(question, lambda: question.function(project))
    return known


def _stale_since(project: Project, earlier: Project, changed: Collection[str]) -> set[Hashable] | None:
    """What answers may rest on that is another one by now; None where that may be anything."""
    if project.relevance is not earlier.relevance or not project.ours | project.supporting >= {*changed}:
        return None
    stale: set[Hashable] = {ALL_FILES, *changed}
    stale.update(map(below, earlier.modules.reaching(changed)))
    for key in changed:
        before, now = earlier.store.file(key), project.store.file(key)
        if before is None or now is None:
            return None
        stale.update(map(calls_question, {*before.calls, *now.calls}))
        stale.update(map(word_question, before.facts.words.keys() ^ now.facts.words.keys()))
        if {*before.facts.import_targets()} != {*now.facts.import_targets()}:
            stale.add(IMPORTS)
    stale.update(question for question in earlier.answers.memo if is_about_text(question))
    return stale
