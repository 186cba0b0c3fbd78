"""What the protocol wants of messages that come at a wrong time, and of those that are none."""

from __future__ import annotations

from typing import Any

from lsprotocol.types import EXIT, INITIALIZE
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, which leaves some requests without an answer: an editor would wait for ever."""

    _begun = False

    def structure_message(self, data: Any) -> Any:
        """The message that `data` is. Raises `JsonRpcException` where it is none; its sender is told."""
        try:
            return super().structure_message(data)
        except (JsonRpcInvalidParams, JsonRpcInternalError) as error:
            if "id" in data and "method" in data:
                self._refuse(data["id"], error)
            raise

    def handle_message(self, message: Any) -> None:
        """Pass a message on. At a wrong time a request is refused, and anything else passed over."""
        method = getattr(message, "method", EXIT)
        wrong: JsonRpcException | None = None
        if method != EXIT:
            if self._shutdown:
                wrong = JsonRpcInvalidRequest("the server was asked to end")
            elif self._begun and method == INITIALIZE:
                wrong = JsonRpcInvalidRequest("the server is initialized already")
            elif not self._begun and method != INITIALIZE:
                wrong = JsonRpcServerNotInitialized("the server is not initialized yet")
        if wrong is None:
            self._begun |= method == INITIALIZE
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._refuse(message.id, wrong)

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        self._send_response(number, error=error.to_response_error())
