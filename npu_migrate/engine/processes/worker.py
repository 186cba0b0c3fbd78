"""What a worker does: it builds the facts of the files that are sent to it, within limits."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import multiprocessing
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from npu_migrate.cache.identity import tool_identity
from npu_migrate.engine.processes.shipping import pack
from npu_migrate.index.indexing import Failure, Index, Indexed, NotIndexed, Sheet, index_sheet
from npu_migrate.version import __version__

IndexSheet = Callable[[Sheet], Indexed]


class Limits(NamedTuple):
    """What one file may cost: seconds, and bytes of memory beyond those of a worker without a file.

    The largest files that people write take two seconds.
    """

    seconds: float = 30.0
    memory: int = 2 << 30


LIMITS = Limits()


def index_chunk(
    sheets: Sequence[Sheet], limits: Limits | None = None, index: IndexSheet = index_sheet
) -> list[bytes]:
    """The facts of some files, packed, in order; within `limits`, see `guarded`."""
    if limits is None:
        return [pack(index(sheet)) for sheet in sheets]
    return [pack(found) for _, found in guarded(limits, index)(sheets)]


class OtherTool(Exception):
    """A worker has another version of this tool or of Python than who sends it files; the text says so."""


def index_as(identity: bytes, sheets: Sequence[Sheet]) -> list[bytes]:
    """The same as `index_chunk`, in a process that may be anywhere.

    Raises `OtherTool` unless it would find the same as the tool with this `identity`.
    """
    if _own_identity() != identity:
        python = ".".join(map(str, sys.version_info[:3]))
        raise OtherTool(f"they run npu-migrate {__version__} on Python {python}, or other code of it")
    return index_chunk(sheets)


_own_identity = cache(tool_identity)


def guarded(limits: Limits, index: IndexSheet = index_sheet) -> Index:
    """An `Index` for a process that can be replaced: a file that takes too long ends it.

    No exception would reach a parser that is written in C. A file that takes too much memory fails.
    """

    def within_limits(sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
        for sheet in sheets:
            with Path(os.devnull).open("w") as nowhere:
                faulthandler.dump_traceback_later(limits.seconds, exit=True, file=nowhere)
                try:
                    found = _within_memory(sheet, limits.memory, index)
                finally:
                    faulthandler.cancel_dump_traceback_later()
            yield sheet.key, found

    return within_limits


def start_worker() -> None:
    """Make this process a worker, which ends with its parent and not by Ctrl-C."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _within_memory(sheet: Sheet, limit: int, index: IndexSheet) -> Indexed:
    before = _fresh_peak()
    with _limited_memory(limit):
        try:
            found = index(sheet)
        except MemoryError as error:
            found = Failure(error)
    # The parser raises the same for a text that is nested too deeply, which takes hardly any memory.
    failed = isinstance(found, Failure) and isinstance(found.error, MemoryError)
    if failed and _peak() - before > limit // 4:
        return Failure(NotIndexed(f"it takes more than {limit >> 20} MB of memory"))
    return found


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _limited_memory(limit: int) -> Iterator[None]:
    """Let the address space grow by `limit` bytes at most, where the system can tell how large it is."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + limit
    allowed = [one for one in (soft, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *allowed]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _fresh_peak() -> int:
    """The memory that this process uses now, in bytes, from which `_peak` starts anew.

    What earlier files took and gave back would hide what the next one takes. So would what the program used
    that this process ran before this one: Linux counts that in ``getrusage``.
    """
    with contextlib.suppress(OSError):  # no Linux
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    """The most memory that this process has used, in bytes; 0 where the system cannot tell."""
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text()
        of_this_program = re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE)
        if of_this_program is not None:
            return int(of_this_program[1]) * 1024
    try:
        import resource
    except ImportError:  # Windows
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
