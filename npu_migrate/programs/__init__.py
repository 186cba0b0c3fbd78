"""Which files make a program: the entry scripts of a tree, and what each of them imports.

Read from bottom to top: `imports` scans the import statements of one file, `modules` and `search_path`
tell which file an import means, `graph` who imports whom, `sketches` what else the bytes of a file tell,
`entries` which files are started, and `programs` puts it together.

Knows paths and import statements. Does not know what code means: no facts, no names, no values.
"""
