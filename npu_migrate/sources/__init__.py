"""Files as bytes and text: discovery, decoding, notebooks, line and column conversions, atomic writing.

Does not know Python, beyond what IPython adds to it.

`ast` counts UTF-8 bytes, reports count characters, editors mostly UTF-16. `sources/lines.py` is the one
place that converts between them; only where an editor points inside of a character is decided in
`lsp/texts/positions.py`. Lines end at `\n`, `\r\n` or a lone `\r` only: Python's `str.splitlines` also
splits at other characters, which are not line ends in Python source.

**Notebooks.** A notebook is a script that nobody imports. Its code cells are joined to one Python text,
in their order, and everything from the index to the planning of fixes sees just this text. `sources/`
knows the rest:

- `magics` covers what is IPython and not Python by underscores, so that the text keeps its length and
  an offset into it is an offset into a cell. Underscores are a name that nobody binds: its value is
  unknown. The test asks IPython itself.
- `cells` joins the cells and leads back from an offset to a cell. It knows nothing of files, so an
  editor can use it.
- `notebook` knows the place of each character in the JSON text and turns an edit of the joined text
  into one of the file. Offsets grow strictly from one text to the other, so edits that do not overlap
  never do so in the file.

A `Source` has both: `text` is what is analysed, `file` what is on disk and what reports and edits speak
of. `Source.place` and `Source.file_edit` lead from the one to the other, so `Diagnostic.range` and all
edits are places in the raw JSON, of which nothing else is touched; `Diagnostic.cell` is the same place
for people. `SourceTree.python` has the bytes for the gates, `SourceTree.data` those of the file. Before
the first gate looks for cells, it searches the raw bytes: most notebooks are pictures.

An edit that would leave its cell or change a covered line is refused when fixes are planned
(`engine/fixes/fixing.py`), so NPU905 tells of it and the fix is dropped everywhere.

The price of one text: cells count as run once and in order. A deletion up to the end of a cell leaves
an empty string at the end of its list, which Jupyter drops when it saves the notebook.
"""
