"""Which constants an expression can be, and why: every possible value with its origin, or nothing at all.

`value` is the answer, `evidence` what it proves. `evaluation` asks `flags`, `arguments`, `containers`,
`fields` and `call_values` by the kind of expression, and each of them asks `evaluation` again for the
parts: these six are one knot, entered through `evaluation.evaluate`.
"""
