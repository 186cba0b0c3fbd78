"""An `Index` on processes of this machine, for files that may end or block the process that parses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass

from npu_migrate.engine.processes.pool import Pool
from npu_migrate.engine.processes.shipping import unpack
from npu_migrate.engine.processes.spreading import Chunk, Packed, chunks_of, spread
from npu_migrate.engine.processes.worker import LIMITS, IndexSheet, Limits, index_chunk, start_worker
from npu_migrate.index.indexing import Indexed, Sheet, index_sheet


@dataclass(slots=True)
class Processes:
    """Builds facts in `size` processes, which are started when they are needed and kept until `stop`.

    A file that ends its process, or takes more than its `limits`, is given up. `index` is what they do.
    """

    size: int
    limits: Limits = LIMITS
    index: IndexSheet = index_sheet
    _pool: Pool | None = None

    losses = (BrokenExecutor,)

    def __call__(self, sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
        """The facts of each sheet, in any order."""
        for sheet, packed in spread(chunks_of(sheets), self):
            yield sheet.key, unpack(sheet.key, packed)

    def submit(self, chunk: Chunk) -> Future[Packed]:
        """Start to index a chunk. Raises `BrokenExecutor`."""
        if self._pool is None:
            self._pool = Pool(self.size, start_worker)
        return self._pool.submit(index_chunk, chunk, self.limits, self.index)

    def watch(self) -> None:
        """Processes that hang end by themselves."""

    def renew(self) -> None:
        """Stop what is left of the processes; the next chunk gets new ones."""
        self.stop()

    def stop(self) -> None:
        """End the processes at once."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()
