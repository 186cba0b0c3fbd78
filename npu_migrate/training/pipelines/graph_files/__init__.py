"""Graphs that go from one program to another by a file: what is written, what is read, who runs it there.

Read from bottom to top: `paths` knows the names of files and `formats` what is in them, `written` and `read`
what a file writes and imports, `elsewhere` whether a pipeline may run in another script.
"""
