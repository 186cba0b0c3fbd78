"""The life of a server, as the protocol has it: what may be asked when, and how the process ends."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from lsprotocol.types import EXIT, INITIALIZE, SHUTDOWN
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcServerNotInitialized


class Life(Enum):
    """How far a server has come. `ABORTED`: it was told to exit before it was asked to shut down."""

    UNINITIALIZED = "uninitialized"
    INITIALIZED = "initialized"
    SHUT_DOWN = "shut down"
    EXITED = "exited"
    ABORTED = "aborted"

    @property
    def exit_code(self) -> int:
        """That of the process when the connection ends now: 0 only if the editor has asked for the end."""
        return 0 if self in (Life.SHUT_DOWN, Life.EXITED) else 1


_NEXT: Mapping[Life, Mapping[str, Life]] = {
    Life.UNINITIALIZED: {INITIALIZE: Life.INITIALIZED, EXIT: Life.ABORTED},
    Life.INITIALIZED: {SHUTDOWN: Life.SHUT_DOWN, EXIT: Life.ABORTED},
    Life.SHUT_DOWN: {EXIT: Life.EXITED},
    Life.EXITED: {},
    Life.ABORTED: {},
}


def life_after(life: Life, method: str) -> Life:
    """What becomes of a server with a request or a notification that is not refused."""
    return _NEXT[life].get(method, life)


def refusal(life: Life, method: str) -> JsonRpcException | None:
    """Why a request or a notification comes at a wrong time; None where it does not."""
    if method == EXIT:
        return None
    if life is Life.UNINITIALIZED and method != INITIALIZE:
        return JsonRpcServerNotInitialized("the server is not initialized yet")
    if life is Life.INITIALIZED and method == INITIALIZE:
        return JsonRpcInvalidRequest("the server is initialized already")
    if life in (Life.SHUT_DOWN, Life.EXITED, Life.ABORTED):
        return JsonRpcInvalidRequest("the server was asked to end")
    return None
