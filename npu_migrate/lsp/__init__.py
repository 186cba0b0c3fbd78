"""The language server: findings and fixes in an editor, while a script is being written.

The language server has five rooms, each of which imports only those above it:

- `texts/` keeps the open texts, and counts places in them as the editor does
- `judging/` finds out what is wrong in them, in the projects that they belong to
- `showing/` says so in the words of the protocol: diagnostics, actions, edits
- `session/` knows one editor: when its texts are judged (`stages`), what it was told
- `protocol/` lets messages through (`life`) and answers them (`features`, `answers`)

A single thread (`judging/worker.py`) analyses. It asks the `Desk`, and that the projects of the open
files (`judging/projects.py`). Each is a `LiveProject` (`engine/live.py`), which keeps the facts of all
files and judges anew only the programs that have a changed file; while a text is no Python, the last
one that was is judged. What is found speaks of the text that was judged: `showing/places.py` moves it
to the present one, or drops it.

An answer comes in two steps. `Desk.judge` tells at once what is found; the first time the cache may
know it (`judging/memory.py`). When nobody has typed for a while, `Desk.plan` finds out which fixes can
be carried out, which takes longer. A keystroke makes the one that runs obsolete: the analysis tells its
progress after each rule, and that is where it is given up. A fix is handed out only if every file that
it changes is still the one for which it was planned.

Between two keystrokes hardly anything becomes another. A word in a comment that no rule has searched
for changes no answer at all, so nothing is analysed. For other changes a `Trail` (`project/trail.py`)
has noted which answers rest on which, and on which files; those that do not rest on the changed one
stay. What is gathered from all files is gathered again, and if it is the same, what rests on it stays
too. `tests/lsp/test_desk.py` types thousands of lines into scripts of all rules and requires what a
fresh run finds.

A file below a folder with a `pyproject.toml`, a `setup.py` or a `.git` belongs to that project, and is
part of all projects further up: they are told of each change too. When files come or go, or the
settings change, a new project takes the place of the old one, which leaves to it what it knows of the
files that have the same stamps as when it was made.

CPython's parser lets no other thread run. So that an editor never waits for it, `index/parsing.py`
parses a long text in parts: for 2 MB the longest wait for a hover fell from 4.0 s to 0.7 s on a busy
machine.

Most keystrokes change one line. `index/rebuild.py` then parses only the statement at the top level that
the line is in, and takes over the facts of all others, with their expressions. It gives up where a
line, a statement or a scope would get another number. `tests/index/test_rebuild.py` types into the
fixtures and compares with facts that are built anew.
"""
