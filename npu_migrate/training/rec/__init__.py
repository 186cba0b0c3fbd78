"""Rec SDK: which programs use `mx_rec`, what they pass to `init`, and the steps that their training really
makes.

`counted_loops` tells how often a Python loop turns for certain: it leaves out every loop that may end
early.
"""
