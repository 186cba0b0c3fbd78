"""``npu-rehearse``: the rehearsal of a script, of its migrated copy, or of both side by side."""
