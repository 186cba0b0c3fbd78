"""Building facts on a Dask cluster: texts go there, facts come back. No shared disk is needed."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import TypeVar

from distributed import Client
from distributed.scheduler import KilledWorker

from npu_migrate.cache.identity import tool_identity
from npu_migrate.engine.job import Part, WorkersError
from npu_migrate.engine.processes.shipping import unpack
from npu_migrate.engine.processes.spreading import Chunk, Packed, chunks_of, spread
from npu_migrate.engine.processes.worker import OtherTool, index_as
from npu_migrate.index.indexing import Indexed, Sheet

_Result = TypeVar("_Result")

_CONNECT = 10.0
"""Seconds that a scheduler may take to answer."""

_DESERTED = 60.0
"""Seconds after which a cluster without workers is given up; those that are started anew need some."""


class Cluster:
    """An `Each` whose parts have their facts built by the workers of the scheduler at `address`.

    Parts are analysed here, one after the other, while the files of the next ones are already on their way.
    Raises `WorkersError` when the scheduler does not answer, goes away, has no workers or other ones than
    this tool, and that is all: a worker that is lost is Dask's to replace.
    """

    losses = (KilledWorker,)

    def __init__(self, address: str) -> None:
        # What is wrong is said once, by us.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._address = address
        self._identity = tool_identity()
        try:
            self._client = Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkersError(f"no Dask scheduler answers at {address}: {error}") from None
        self._executor = self._client.get_executor(pure=False)
        if not self._workers():
            self.stop()
            raise WorkersError(f"the Dask scheduler at {address} has no workers")

    def __call__(self, parts: Sequence[Part], work: Callable[[Part], _Result]) -> Iterator[_Result]:
        """The results of `work` for all `parts`, in order."""
        sheets = (sheet for part in parts for sheet in part.sheets())
        stream = self._facts(sheets)
        arrived: dict[Sheet, bytes] = {}

        def index(asked: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
            """What is asked for first by each part is in the stream, in about this order."""
            for sheet in asked:
                while sheet not in arrived:
                    following = next(stream, None)
                    if following is None:
                        arrived.update(self._facts((sheet,)))
                    else:
                        arrived[following[0]] = following[1]
                yield sheet.key, unpack(sheet.key, arrived.pop(sheet))

        for part in parts:
            yield work(part.with_index(index))

    @property
    def size(self) -> int:
        """How many chunks the workers can work on at the same time."""
        return max(1, sum(one["nthreads"] for one in self._workers().values()))

    def submit(self, chunk: Chunk) -> Future[Packed]:
        """Start to index a chunk."""
        future: Future[Packed] = self._executor.submit(index_as, self._identity, chunk)
        return future

    def renew(self) -> None:
        """Dask starts new workers by itself."""

    def watch(self) -> None:
        """Raise `WorkersError` when nobody is left who could finish anything."""
        if self._client.status != "running":
            raise WorkersError(f"the Dask scheduler at {self._address} has gone away")
        deadline = time.monotonic() + _DESERTED
        while not self._workers():
            if time.monotonic() > deadline:
                raise WorkersError(f"the Dask scheduler at {self._address} has lost all its workers")
            time.sleep(1.0)

    def stop(self) -> None:
        """Leave the cluster."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=_CONNECT)

    def _workers(self) -> Mapping[str, Mapping[str, int]]:
        workers: Mapping[str, Mapping[str, int]] = self._client.scheduler_info(n_workers=-1).get(
            "workers", {}
        )
        return workers

    def _facts(self, sheets: Iterable[Sheet]) -> Iterator[tuple[Sheet, bytes]]:
        try:
            yield from spread(chunks_of(sheets), self)
        except OtherTool as error:
            raise WorkersError(f"the workers at {self._address} do not match: {error}") from None
        except ImportError:
            raise WorkersError(
                f"the workers at {self._address} cannot import npu-migrate; install it there, too"
            ) from None
        except (CancelledError, OSError) as error:
            raise WorkersError(f"the Dask scheduler at {self._address} has gone away: {error}") from None
