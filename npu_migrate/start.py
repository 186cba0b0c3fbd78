"""Where the program begins: with an answer that it has given before, else with the command line."""

from __future__ import annotations

import contextlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from npu_migrate.cache.answers import Answer

_INTERRUPTED = 130


def main() -> NoReturn:
    """Do what the arguments of the process ask for, and exit.

    Who asks again what was asked before, of the same files, gets the same answer at once: it takes less time
    than importing what reads the options.
    """
    try:
        question = _question(sys.argv[1:])
        if question is not None:
            from npu_migrate.cache.answers import answer_to

            answer = answer_to(question)
            if answer is not None:
                _give(answer)
        from npu_migrate.cli import main as run
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            _write(2, b"npu-migrate: interrupted; nothing was written\n")
        os._exit(_INTERRUPTED)
    run(question)


def _question(arguments: list[str]) -> str | None:
    """The name of this question; None where it is of no use to look for an answer."""
    no_paths = all(argument.startswith("-") for argument in arguments)
    if no_paths or sys.stdout is None or sys.stderr is None:
        return None
    from npu_migrate.cache.answers import question_of

    return question_of(arguments)


def _give(answer: Answer) -> NoReturn:
    """Print an answer and exit. Whoever reads it may leave early."""
    code, error = answer.code, answer.error
    try:
        _write(1, answer.output)
    except BrokenPipeError:
        pass
    except OSError as trouble:
        code = 2
        error = f"npu-migrate: error: the result cannot be written: {trouble.strerror}\n".encode()
    with contextlib.suppress(OSError):
        _write(2, error)
    os._exit(code)


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
