"""One module per output format; each is made from a `Report` and its `Surroundings`.

Start with `formats.py`, the table of all of them, and `surroundings.py`. `text.py` is the form to copy for a
new one that people read, `json.py` for one that programs read. What several share: `wording.py` (words),
`characters.py` (what a format cannot carry), `uris.py`, `notebooks.py` (places in cells), `matching.py` and
`diff.py` (two texts). `summary.py` and `statistics.py` are the lines beside a report. Comments on a change
are in `reviews/`, findings in groups in `groups/`.

A report is a function to text: nothing here decides what is told, and nothing writes to a file or a terminal.
"""
