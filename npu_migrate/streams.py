"""The standard streams. Who reads them may leave early, and who started this may have closed them."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

import click


def emit(result: str | bytes, *, color: bool | None = None) -> None:
    """Write a result to standard output, as it is. A reader who has left does not end the run.

    Raises `OSError` for any other trouble, such as a full disk. `color` is what `click.echo` takes.
    """
    try:
        click.echo(result, nl=False, color=color)
    except BrokenPipeError:
        forget_output()


def tell(text: str) -> None:
    """Write a line to standard error. If that cannot be done, there is nobody to tell."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def has_colours(stream: TextIO | None) -> bool:
    """Whether what is written there is shown in colours: on a terminal that can, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()


def forget_output() -> None:
    """Let standard output lead nowhere from now on, with what is still to be written there."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Let streams that are closed lead nowhere, so that no file takes their numbers."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
