"""What a team has accepted: comments in the code, which take findings out early, and the baseline file.

A comment (`suppression.py`) takes a finding out before fixes are planned, a baseline (`baseline.py`) when
all is done: it needs fingerprints, which belong to diagnostics. It is a *refinement*: a function from a
result to a result. Accepted findings lose their fix there, so whatever applies fixes need not know of
baselines.

`adding_suppressions.py` writes comments and then proves them: the changed files are analysed again in
memory, and a file is only written if it is the same program and just the findings that were meant are
suppressed.
"""
