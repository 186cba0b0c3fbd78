"""What a program for a GPU has besides its sessions: each module knows one thing, and what becomes of it.

`found` has what they share.
"""
