"""The files together: imports, programs, values, sessions, iterators."""
