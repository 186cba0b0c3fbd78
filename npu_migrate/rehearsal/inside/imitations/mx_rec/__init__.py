"""A stand-in for Rec SDK (`mx_rec`), so that its scripts run without an NPU.

It checks the arguments of `init` as the real one does. Where the real one would read its data ahead by other
steps than the training takes, and wait or train wrongly, the stand-in refuses at once.
"""
