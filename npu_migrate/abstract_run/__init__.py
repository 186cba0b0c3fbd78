"""One abstract run of a program, which judges edits: what runs what, in which order, on every path.

Knows facts, programs and the names of TensorFlow. Does not know rules, rewrites or what the planner thought:
it is the independent judge of its plans, and uses none of its evidence.

Read from bottom to top. `machine` is Python on facts: values, frames, calls, and forks where nothing decides.
`libraries` is TensorFlow and the standard library as small models. `log` is what comes out of a path: events
in order, and faults. `comparing` holds two logs of one path against each other, `coverage` asks whether what
was edited has run at all, and `judging` goes through the paths and says what comes of it.

A fix is **verified** if on every path of every program that it concerns the edited version does what the
original does: the same sessions take the same elements of the same iterators, anew as often, and assign the
same variables; each iterator has been started before, in that session, in a run that assigns nothing; nothing
is made on a finalized graph. It is **refuted** if one path shows something else, and **lost** if something on
the way cannot be followed: unknown code gets a session, an iterator, or a function of the program; what is
fetched is not known; the budget ends.

*Paths are re-executed, states never copied.* A path is a list of decisions. The machine asks for one where a
condition, a key, the length of a loop, a checkpoint or an exception is open, and takes the first option
behind the end of the list. The next path differs in the last decision that has another option. The two
versions of a program get the same decisions, and must ask for the same.

*Branches that come to nothing are gone once.* If both branches of an open condition change nothing but plain
values, one path goes on behind them, with these values unknown, and the other one ends there (`Run.join`).

*Loops are cut short.* A long loop over known values has three rounds, in the last of which the value is
unknown;
a generator has three, and what nobody knows has two, or none on another path (`machine/loops.py`). Therefore
`coverage` requires that each call of a loop that was cut has run.

*The original is run too*, because only the difference matters. A program that reads its data anew by a
mistake of its own must do so afterwards; a path on which the original fails by itself does not exist.

*Refuse by default.* What has no model gets plain values only. A budget counts steps, turns and paths, never
seconds: what is said of a program must not depend on the machine.
"""
