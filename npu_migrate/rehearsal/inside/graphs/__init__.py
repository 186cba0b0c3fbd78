"""A graph and what a run needs of it: operations, what they write to, what imitations have marked."""
