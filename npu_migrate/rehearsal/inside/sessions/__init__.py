"""A session as far as it is known: what its configuration says, and what its runs have done."""
