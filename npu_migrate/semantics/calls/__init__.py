"""Calls and the functions that they run: who calls, with which arguments, and what comes back.

From a function to its calls: `callers` knows those that a name leads to and whether there may be others,
`looked_up_calls` those through dictionaries and objects, and `function_calls` puts all of them together.
`object_calls` has those of objects, which run a ``__call__``. `construction` tells for objects of which
class a call is made.
From a call to its function: `function_values` tells which functions a value is. Between the two,
`parameters` binds the arguments of one call, `passing` asks what a call gives for a parameter, `signatures`
compares calls with the parameters of a library's function, and `returns` has what a function hands back.
"""
