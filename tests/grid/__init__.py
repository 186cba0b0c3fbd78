"""The grid: training scripts put together from every way to write each of their parts.

One module per axis, each a table of text pieces: `pipelines` (how data is read), `travels` (how the
pipeline gets to the model), `sessions` (who runs it), `occasions` (what runs when), `endings` (how a loop
ends). `programs` joins one piece of each and says which do not go together, `trying` migrates a program and
runs it before and after. `run_all.py` tries them all, `test_grid.py` a sample.

In the pieces, a word in capitals stands for another piece. One that is alone on its line stands for lines.
"""
