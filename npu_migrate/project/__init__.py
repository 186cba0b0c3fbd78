"""The files of a run together: facts on demand, questions, and the keeping of their answers.

Read `one_file` and `fact_store` for what one file says, `module_lookup` and `across_files` for all of them,
`project` for the whole, `once`, `answers` and `trail` for how answers are kept and what they rest on, and
`editing` for what stays known when files change.

Knows which facts exist and which answers rest on which files. Does not know what is asked: nothing of
names and values, of TensorFlow, or of findings.
"""
