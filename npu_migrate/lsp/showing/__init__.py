"""Findings and fixes in the words of the protocol: where they are shown, what can be done about them."""
