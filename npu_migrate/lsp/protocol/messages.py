"""The protocol of pygls, with an answer to messages that come at a wrong time, and to those that are none."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from npu_migrate.lsp.protocol.life import Life, life_after, refusal


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, which leaves some requests without an answer: an editor would wait for ever."""

    life = Life.UNINITIALIZED

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
        method = getattr(message, "method", None)
        wrong = None if method is None else refusal(self.life, method)
        if wrong is None:
            if method is not None:
                self.life = life_after(self.life, method)
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._refuse(message.id, wrong)

    def _refuse(self, number: Any, error: JsonRpcException) -> None:
        self._send_response(number, error=error.to_response_error())
