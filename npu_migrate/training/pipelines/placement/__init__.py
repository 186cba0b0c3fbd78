"""Where the initializer of an iterator has to run, as intents: the placement table of NPU101 and NPU102."""
