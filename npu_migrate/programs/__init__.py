"""Which files make a program: the entry scripts of a tree, and what each of them imports.

Read from bottom to top: `imports` scans the import statements of one file, `modules` and `search_path`
tell which file an import means, `graph` who imports whom, `graph_readers` who may run the graph of another
program, `sketches` what else the bytes of a file tell, `entries` which files are started, and `programs`
puts it together.

Knows paths and import statements. Does not know what code means: no facts, no names, no values.

A finding often needs several files: the iterator is in one, the session in another, the flag with
`iterations_per_loop` in a third. The unit in which files are judged together is the *program*: a script
that is started, and what it imports, directly or not.

A script is started if it has a `__main__` guard, calls `app.run`, or is imported by nobody. Of a cycle
of imports that nobody enters from outside, one file counts as started.

Imports are resolved by Python's rules and never by a file's name alone (`programs/modules.py`). In a
folder with hundreds of projects, each with its own `utils.py`, the same `import utils` means another
file in each of them: Python looks first in the folder of the script. So the search path belongs to the
program, and the file that an import means can differ from program to program. What differs is treated
as unknown.

A check of one file reads the whole project around it, because any other file may import it. Only
programs that contain the file take part. That is why a file has the same findings alone and within its
project.
"""
