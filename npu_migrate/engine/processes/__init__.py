"""More than one process: building facts and planning parts on the processors of this machine or a cluster."""
