"""An imitation of Rec SDK (`mx_rec`), so that its scripts run without an NPU.

It checks the arguments of `init` as the real one does. A table of embeddings is one variable, whose rows are
chosen by the remainder of a key.
"""
