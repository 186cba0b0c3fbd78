"""What a program for a GPU has besides its sessions: each module knows one thing, and what becomes of it.

`found` has what they share; what concerns several devices has a room of its own, `distributed`.
"""
