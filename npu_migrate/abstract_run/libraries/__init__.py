"""What libraries do, as far as it matters: TensorFlow's graphs, data and sessions, and the rest.

`world` has the objects. Everything else are tables from names to functions that make or use them, one module
for each part of TensorFlow; `dispatch` puts them together. What no table has is a plain function of its
arguments if it belongs to TensorFlow, and gets nothing that matters to it otherwise.
"""
