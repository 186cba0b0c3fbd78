"""How often a benchmark measures."""

from __future__ import annotations

import argparse


def rounds_asked(documentation: str | None) -> int:
    """The rounds that the command line asks for, 5 by default; `documentation` is that of the command."""
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rounds", metavar="ROUNDS", nargs="?", type=int, default=5)
    return int(parser.parse_args().rounds)
