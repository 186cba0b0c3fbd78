"""From findings with rewrites to edits on the files as they were read, in passes; and applying them."""
