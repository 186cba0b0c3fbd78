"""How a loop over the data ends. ``STEP`` stands for one step, which prints a loss."""

from __future__ import annotations

ENDINGS = {
    "fixed": "for _ in range(2):\n    STEP\n",
    "out of range": """\
try:
    while True:
        STEP
except tf.errors.OutOfRangeError:
    print("end of data")
""",
    "should stop": "while not SESS.should_stop():\n    STEP\n",
    "caught": """\
try:
    for step in range(5):
        STEP
        if step == 1:
            raise ValueError("enough")
except ValueError as problem:
    print(problem)
""",
    "finally": """\
try:
    for _ in range(2):
        STEP
finally:
    print("done")
""",
}
