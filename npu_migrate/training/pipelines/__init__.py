"""Input pipelines and the sessions that run them: iterators, datasets, what is initialized where, and when.

`iterators` and `datasets` tell what is built, `sessions`, `groups` and `session_runs` what is opened and
run, `owners` which sessions run a pipeline, `order`, `chronology` and `reachability` what comes first,
`eager` and `graph_code` which code builds a graph at all. `placement` plans where an initializer has to
run.
"""
