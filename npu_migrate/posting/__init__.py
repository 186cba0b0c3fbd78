"""What a report says, posted on a pull request: the command ``npu-migrate-review``.

It reads a report that is there already, and never a file of the change. So the report can be made where
strangers' code is checked out, without a token, and be posted elsewhere with one. The report is therefore
a stranger's text: `reading.py` takes nothing but its known form, and `texts.py` disarms what a service
would obey, such as ``/approve`` at the beginning of a line.

Read in this order:

- `remarks.py`: the values. A `Remark` is what the report says of some lines; a `Posted` is a comment of
  ours that is there.
- `reading.py`: from a report to remarks. `diffs.py`: which lines a service shows.
- `placing.py`: which remarks stand on lines, and the summary that lists all others. Nothing is dropped.
- `planning.py`: from remarks and what is posted to what has to be done. It is a pure function, so a
  second run that sees what the first has posted does nothing.
- `services/`: one module for each service: addresses, fields and pages.
- `client.py`: HTTP, with retries. Only this module needs httpx.
- `running.py`: reads, plans, does. `command.py`: options and messages.

A comment carries marks that nobody sees: the fingerprints of its findings, and a digest of its text,
because services may store a text otherwise than it was sent. A request that makes a comment is never
simply sent again when its answer got lost: what is posted is read again, and planned again.
"""
