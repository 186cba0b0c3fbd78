"""How text is changed: intents from the rules become edits on the original text.

Does not know rules, nor do rules know it: both speak in intents.

A rule does not edit text. It yields *intents*: rename this call, insert this statement after that one,
give this expression a name (`npu_migrate/intents.py`). An intent names its place by `ast` coordinates. It
is small and can be compared, so the same wish of two findings counts once.

This room turns all intents of a run into edits together, in three steps:

1. Each intent is compiled to *parts* (`parts.py`): insertions with an order, replacements, further
   arguments of a call, and claims, which change nothing but must agree.
2. Rewrites are taken in order, the safe ones first. One whose parts clash with those already taken is
   dropped (`clashes.py`).
3. The parts that meet at one place are joined to one edit (`joining.py`). The result must compile, and
   no comment may be lost, which is looked at in the statements of the module that are changed
   (`verification.py`). If a file fails, its rewrites are tried one by one.

Finished edits could not be combined: of two keywords that are added to `f()`, each would have to know
whether it comes first. That is why parts exist.

`document.py` is the text as all three steps look at it; it also knows which newline an insertion takes.

A fix can lay open another one, and some have to wait for others. So `engine/fixes/fixing.py` goes in
passes: it applies the safe fixes in memory, analyses the changed files again and compiles what is found
then, until nothing new comes up; after that the same with the unsafe fixes.
`engine/fixes/attribution.py` tells which of the first findings one of a later pass is, or which fix has
caused it. A `Layer` (`layers.py`) composes the edits of all passes to edits on the original text and
remembers which fixes own each of them. Fixes that share an edit are applied together or not at all, and
so is a fix with those that it builds upon. After one `--write` a second one has nothing to do.

Edits replace small ranges of the original text. A file is never printed from a syntax tree, because no
printer gives back every file unchanged.

A fix is safe only if all places that need it can be rewritten. What cannot be applied is reported as
NPU905.

A comment is never lost, with one exception: the fix of NPU904 removes a suppression that suppresses
nothing. It has an intent of its own (`ReplaceComment`), so it is joined with the others, and the check
for lost comments knows which ones were asked to go.
"""
