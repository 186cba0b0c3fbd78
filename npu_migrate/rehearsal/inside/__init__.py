"""What runs in the user's Python: imitations of the NPU's packages, and a judge of every session run.

Standard library only, Python 3.7 and newer, TensorFlow 1.15 or 2.x in graph mode. It is started by its path
(``python …/inside REQUEST.json``), goes by the name ``npu_rehearsal`` in that process, and knows nothing of
the package that it lies in. The request and the events are described in ``protocol.py`` outside.

Imports go one way: `events` and `places`; `graphs`, what a run needs; `sessions`, what is known of them;
`judging`, verdicts on both; `watching`, where all session runs pass; `support` and the ``imitations``, which
speak to it. `script` runs what is rehearsed, and `rehearsing` joins all of it.
"""
