"""The way from paths to results: analysis, selection, suppression, the passes of a fix.

`job` has the values of a run. Read `request` (from what a user asks for to a job), `analysis` and `checking`
(rules over a tree), `judging` and `selection` (what is wanted), `fixes/` (edits), `diagnosing` (what is
reported) and `run`, which goes that way; `live` is the same for an editor.
"""
