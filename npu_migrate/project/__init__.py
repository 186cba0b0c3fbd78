"""The files of a run together: facts on demand, questions, and the keeping of their answers.

Knows which facts exist and which answers rest on which files. Does not know what is asked: nothing of
names and values, of TensorFlow, or of findings.
"""
