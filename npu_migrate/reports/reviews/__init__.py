"""Formats that become comments on a change, and what these comments say and offer."""
