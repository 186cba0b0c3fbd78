"""One file's Python, read once with ``ast`` and kept as small picklable facts.

Knows names, scopes, statements, expressions and calls of one file. Does not know rules or other files.

Files are read with `ast`, never with LibCST, because building a LibCST tree costs about ten times as
much and its metadata costs far more. LibCST is imported only when an argument is added to a call.

Most files of a tree concern no rule, so two gates over the bytes come before any parsing (`gate.py`):

1. Does the file mention a name without which no rule can fire, such as `make_one_shot_iterator`? Such a
   file is *ours*.
2. If not, but if it belongs to a program with a file of ours: does it play a role, which means that it
   mentions something that rules weigh, such as a session? Some roles are played only beside a reason:
   control dependencies matter only in a program that scales its loss. Such a file is *supporting*.

Both gates err on the side of yes: a name in a comment counts. They are substring tests, because these
are several times faster than one regular expression with alternatives. The import statements are found
by a scan of the bytes as well (`programs/imports.py`). On 1,530 files of public TensorFlow 1.x
projects, reading, testing and scanning takes about a tenth of the time that `ast.parse` needs for them.
4 % of the bytes are in files of ours, 28 % in supporting files.

A file that passed neither gate is still parsed when a value or a call leads there: `Project.facts`
builds facts on demand, and `Project.other_importers` names the files that may call into one of ours.
"""
