"""How the facts of a file are built: the walk over its tree, and a handler for each kind of node."""
