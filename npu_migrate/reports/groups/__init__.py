"""Findings in groups, as ``--group-by`` asks: `grouping` makes them, `listing` tells them."""
