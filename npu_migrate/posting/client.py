"""HTTP for the services: retries, rate limits, pages, and one clear line for what went wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import httpx

from npu_migrate.posting.remarks import AnswerLostError, PostingError
from npu_migrate.version import __version__

ATTEMPTS = 5
PAGE_SIZE = 100
MOST_PAGES = 200

_TIMEOUT = 60.0
_UNKNOWN_WAIT = 60.0
_MESSAGE_LENGTH = 300
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_FAILED = range(500, 600)


class RefusedError(PostingError):
    """A service has refused a request, for good."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Access:
    """How a service is reached. `variable` is where the token came from, `needs` what it has to be
    allowed."""

    service: str
    address: str
    headers: Mapping[str, str]
    variable: str
    needs: str


class Clock(NamedTuple):
    """What waits, and for how many seconds altogether at most, when a service asks for it."""

    most: float = 300.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time


class Client:
    """Requests to one service. Close it in the end."""

    def __init__(self, access: Access, clock: Clock) -> None:
        self.access = access
        self.clock = clock
        self._left = clock.most
        self._http = httpx.Client(
            headers={
                "User-Agent": f"npu-migrate-review/{__version__}",
                "Accept": "application/json",
                **access.headers,
            },
            timeout=_TIMEOUT,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, **query: str | int) -> Any:
        """What is at a path. Raises `PostingError`, as all requests do."""
        return _content(self._answer("GET", path, None, query, repeat=True), self.access)

    def change(self, method: str, path: str, content: Mapping[str, Any]) -> Any:
        """Change something that is there; sent again if no answer came, which does no harm."""
        return _content(self._answer(method, path, content, {}, repeat=True), self.access)

    def make(self, path: str, content: Mapping[str, Any]) -> Any:
        """Make something new. Raises `AnswerLostError` if it may be there now, or may not."""
        return _content(self._answer("POST", path, content, {}, repeat=False), self.access)

    def pages(self, path: str, **query: str | int) -> Iterator[Any]:
        """The entries of a list that comes in pages.

        A service says in a header whether there is another page; where it does not, the pages end with an
        empty one, or where they repeat themselves: a page may be shorter than asked for.
        """
        before: Any = None
        for number in range(1, MOST_PAGES + 1):
            asked = {**query, "per_page": PAGE_SIZE, "page": number}
            answer = self._answer("GET", path, None, asked, repeat=True)
            entries = _content(answer, self.access)
            if not (isinstance(entries, list) and all(isinstance(one, dict) for one in entries)):
                raise PostingError(
                    f"{self.access.service} answers GET {path} with no list of objects; is --api right?"
                )
            if not entries or entries == before:
                return
            yield from entries
            if _is_last(answer):
                return
            before = entries
        # To go on with a part of the comments would be to post the others twice.
        raise PostingError(f"{self.access.service} has more than {MOST_PAGES} pages of {path}")

    def _answer(
        self,
        method: str,
        path: str,
        content: Mapping[str, Any] | None,
        query: Mapping[str, str | int],
        *,
        repeat: bool,
    ) -> httpx.Response:
        address = path if "://" in path else self.access.address + path
        attempt = 0
        while True:
            attempt += 1
            try:
                answer = self._http.request(
                    method,
                    address,
                    params=dict(query) or None,
                    json=None if content is None else dict(content),
                )
            except httpx.TransportError as error:
                if not repeat and not isinstance(error, _NOT_SENT):
                    raise AnswerLostError(f"{method} {path}") from None
                if attempt >= ATTEMPTS:
                    raise PostingError(self._unreachable(error)) from None
                self._pause(attempt)
                continue
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise PostingError(self._unreachable(error)) from None
            if answer.is_success:
                return answer
            if (wait := _rate_limited(answer, self.clock.now())) is not None:
                self._wait(wait)
                attempt = 0
            elif answer.status_code in _FAILED:
                if not repeat:
                    raise AnswerLostError(f"{method} {path}")
                if attempt >= ATTEMPTS:
                    raise PostingError(self._failing(answer))
                self._pause(attempt)
            else:
                raise self._refused(method, path, answer)

    def _pause(self, attempt: int) -> None:
        self.clock.sleep(min(2.0 ** (attempt - 1), 8.0))

    def _wait(self, seconds: float) -> None:
        """Wait as long as a rate limit wants it, if that is not too long."""
        if seconds > self._left:
            raise PostingError(
                f"the rate limit of {self.access.service} is used up for {seconds:.0f} more seconds; "
                "run the command again then, or give --max-wait"
            )
        self._left -= max(seconds, 1.0)
        self.clock.sleep(max(seconds, 0.1))

    def _unreachable(self, error: Exception) -> str:
        return f"{self.access.service} cannot be reached at {self.access.address}: {_line(str(error))}"

    def _failing(self, answer: httpx.Response) -> str:
        return (
            f"{self.access.service} fails again and again ({answer.status_code}); "
            "run the command again later, nothing is posted twice"
        )

    def _refused(self, method: str, path: str, answer: httpx.Response) -> RefusedError:
        access, status, said = self.access, answer.status_code, _said(answer)
        if status == 401:
            text = f"{access.service} does not take the token in {access.variable} (401): {said}"
        elif status == 403:
            needs = f"it needs {access.needs}"
            text = f"{access.service} forbids {method} {path} to the token (403): {said}; {needs}"
        elif status == 404:
            text = (
                f"{access.service} has no {path} (404), or the token may not see it; "
                "check --repository, --pull-request and --api"
            )
        elif answer.is_redirect:
            where = _line(answer.headers.get("Location", ""))
            text = f"{access.service} has moved {path} to {where}; check --repository and --api"
        else:
            text = f"{access.service} refuses {method} {path} ({status}): {said}"
        return RefusedError(text, status)


def _content(answer: httpx.Response, access: Access) -> Any:
    if not answer.content:
        return None
    try:
        return answer.json()
    except ValueError:
        raise PostingError(
            f"{access.service} answers with something that is not JSON; is --api right? ({access.address})"
        ) from None


def _is_last(answer: httpx.Response) -> bool:
    """Whether a page says that it is the last one."""
    if "X-Next-Page" in answer.headers:
        return not answer.headers["X-Next-Page"]
    return bool(answer.links) and "next" not in answer.links


def _rate_limited(answer: httpx.Response, now: float) -> float | None:
    """How many seconds a service wants to be left alone; None if that is not what it says."""
    headers = answer.headers
    used_up = headers.get("X-RateLimit-Remaining", headers.get("RateLimit-Remaining")) == "0"
    told = used_up or "Retry-After" in headers or "rate limit" in answer.text.lower()
    if not (answer.status_code == 429 or (answer.status_code == 403 and told)):
        return None
    if "Retry-After" in headers:
        return _seconds(headers["Retry-After"], now)
    reset = headers.get("X-RateLimit-Reset", headers.get("RateLimit-Reset", ""))
    return max(float(reset) - now, 1.0) if used_up and reset.isdecimal() else _UNKNOWN_WAIT


def _seconds(text: str, now: float) -> float:
    """What ``Retry-After`` says: seconds, or a date."""
    if text.isdecimal():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
    except ValueError:
        return _UNKNOWN_WAIT


def _said(answer: httpx.Response) -> str:
    """Why a service refuses a request, on one line."""
    try:
        content = answer.json()
    except ValueError:
        return answer.reason_phrase or "no reason given"
    if isinstance(content, dict):
        keys = ("message", "error_description", "error_message", "error", "errors")
        found = [content[key] for key in keys if content.get(key)]
        content = found[0] if found and isinstance(found[0], str) else found or content
        if len(found) > 1 and isinstance(found[0], str) and not isinstance(found[1], str):
            content = f"{found[0]}: {json.dumps(found[1], ensure_ascii=False)}"
    return _line(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))


def _line(text: str) -> str:
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return line if len(line) <= _MESSAGE_LENGTH else f"{line[:_MESSAGE_LENGTH]}…"
