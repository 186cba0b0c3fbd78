"""Which constants an expression can be, and why: every possible value with its origin, or nothing at all.

A rule that asks for the value of `iterations_per_loop` gets all constants that it can have, each with
its origin: a literal, a constant of the module, the default of a flag, of `argparse` or of a parameter,
an entry of a dictionary. If one possible value cannot be known, the whole value is unknown, and an
unknown value never makes a finding. A default is weaker evidence than a value in the code, so it lowers
the severity.

A rule is asked about each program of a file, since a flag may have another default in each. The worst
verdict becomes the finding, which names the programs that it holds for (`rules/weighing.py`).

`value` is the answer, `evidence` what it proves. `evaluation` asks `flags`, `arguments`, `containers`,
`fields` and `call_values` by the kind of expression, and each of them asks `evaluation` again for the
parts: these six are one knot, entered through `evaluation` alone.
"""
