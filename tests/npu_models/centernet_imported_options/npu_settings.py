NPU_OPTIONS = (
    ("use_off_line", "b", True),
    ("precision_mode", "s", b"allow_mix_precision"),
    ("op_wait_timeout", "i", 600),
)


def apply(entry):
    for key, field, value in NPU_OPTIONS:
        setattr(entry.parameter_map[key], field, value)
