"""What pip asks to build npu-migrate: hatchling, where it can work.

In an older Python pip would find no hatchling that is new enough, and say only that. This says what to do.
It has to be valid in every Python that pip runs in.
"""

import sys

if sys.version_info < (3, 10):
    sys.exit(
        "npu-migrate needs Python 3.10 or newer, and this is Python %d.%d. It only reads training scripts: "
        "install it into an environment of its own, with a newer Python, and leave the one with TensorFlow "
        "as it is." % sys.version_info[:2]
    )

from hatchling.build import *  # noqa: F403 - the hooks of PEP 517
