"""One module per output format; each is made from a `Report` and its `Surroundings`."""
