"""What Python code means across files, for any program: names, calls, objects, and where values come from
and go.

An expression in its place is a `Ref`. `resolution` tells what its name stands for, `flow.origins` follows
it back to where its value comes from, `uses.uses` forward to where it goes, `flow.call_sites` finds who
calls a function. `contexts.ends` follows it back, too, but keeps apart what different calls pass and what
different objects hold; `stores_at_entry` tells what a field holds when a method begins, `filled_fields` who
fills it from outside, and `handed_on` what Python's own functions make of their items. `latest` is `origins`
for a variable that is used again. The rooms below: `calls` tells what goes into a function and comes back,
`values` which constants an expression can be.

Who runs a function is asked in four ways. `flow.call_sites` gives the calls that are seen to: enough to
follow a value. `flow.activations` adds the places that read a property.
`calls.function_calls.all_calls_of` also finds the calls of names, partial objects and parameters that
hold the function: needed where one missed call makes a finding wrong. `calls.callers.callers` tells
whether there may be calls that nobody can see: needed before a function is changed.

Does not know TensorFlow or npu_bridge: what it has to know of libraries is in the project's `Libraries`,
which those who analyse have filled in. It could serve a migrator of another library as it is.
"""
