"""Review of a change: what it is, and which findings belong to it.

A review is a refinement of a finished result (`Job.refinements`), so all formats, the counts and the
exit code follow without knowing of it. `git.py` and `patched.py` make the same value, a `Change`: for
each file its touched lines and its former content. `narrowing.py` keeps what the touched lines explain.
Only if something is left does it run the job again, on the tree with the former contents, and compares
what is found by code, path and source line, of which a fingerprint is made. The path is the new one
after a rename, which is why fingerprints themselves are not compared.

Lines of a change are Git's lines, which end at `\n` only.

A comment on a review offers whole lines, and is accepted alone. `reports/reviews/suggestions.py` makes
one replacement of all edits of a fix, or says why that cannot be; fixes that share lines get one
replacement for all. The formats `rdjson` and `github-review` differ in what they do with those: the
first shows what `--write` would do, the second also what a reader may want.
"""
