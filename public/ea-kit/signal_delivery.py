"""Client for the signal delivery service. It needs only Python 3.9 or newer.

    export SIGNAL_API_URL=https://signals.example.com
    export SIGNAL_API_KEY=...
    python3 signal_delivery.py scan
    python3 signal_delivery.py open 1001 EURUSD H1 BUY 1.08421
    python3 signal_delivery.py close 1001 1.08655 23.40 TP
    python3 signal_delivery.py executions
    python3 signal_delivery.py follow

In a program:

    from signal_delivery import SignalDelivery
    service = SignalDelivery(url, key)
    for signal in service.follow():
        ...
"""

from __future__ import annotations

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from typing import Any, Callable, Iterator, Mapping, Optional

__version__ = "1.3.0"
__all__ = ["ApiError", "KeyRefused", "SignalDelivery", "utc"]

RETRYABLE = frozenset({408, 429, 500, 502, 503, 504})
LONGEST_WAIT_S = 60.0
# A stream sends at least a comment every 15 seconds. After this silence the connection is dead.
SILENCE_S = 45.0

# Exceptions of a request that got no answer.
NO_ANSWER = (OSError, http.client.HTTPException)


class ApiError(Exception):
    """An answer with an error. `code` is stable; `detail` is a sentence for people."""

    def __init__(self, status: int, code: str, detail: str, request_id: str) -> None:
        super().__init__(f"{status} {code}: {detail} (request {request_id})")
        self.status = status
        self.code = code
        self.detail = detail
        self.request_id = request_id


class KeyRefused(ApiError):
    """401: the key is missing, unknown, expired, revoked or replaced. Repeating does not help."""


class Answer:
    """A complete answer of the service."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: the service sends none, and the key must not go to another server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def utc(at: datetime) -> str:
    """A time in the format of the service. A time without a zone counts as UTC."""
    aware = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class SignalDelivery:
    """One key on one service.

    Requests are repeated when the service is busy or unavailable (429, 5xx, no connection), after the time in
    `Retry-After` or after a random pause whose limit doubles. Reports can be repeated safely because the ticket
    identifies them. Replace `sleep` to avoid waiting, for example in tests.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        attempts: int = 5,
        timeout_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url = base_url.strip().rstrip("/")
        self.attempts = attempts
        self.timeout_s = timeout_s
        self.sleep = sleep
        self._headers = {
            "X-API-Key": api_key.strip(),
            "Accept": "application/json",
            "User-Agent": f"signal_delivery.py/{__version__}",
        }
        self._opener = urllib.request.build_opener(_NoRedirect)
        # What the subscriber paused in the portal, as of the newest answer: a slot such as "EURUSD/H1", or "all", and
        # the time at which its pause began.
        self.paused: dict[str, str] = {}

    def is_paused(self, symbol: str, timeframe: str) -> bool:
        """Whether the subscriber paused a slot in the portal, as of the newest answer of `scan` or `follow`.

        A program that trades opens no position in a paused slot. It still closes and reports positions.
        """
        return "all" in self.paused or f"{symbol}/{timeframe}" in self.paused

    def scan(self, min_confidence: float = 0.0) -> list[dict[str, Any]]:
        """The newest signal of every slot in the key's plan, with `pred_id` and `stale`.

        Do not follow a signal whose `stale` is true. The list includes slots that the subscriber paused: check
        `is_paused` before you open a position.
        """
        params: dict[str, Any] = {"expand": "validity"}
        if min_confidence > 0:
            params["min_confidence"] = f"{min_confidence:.6f}"
        answer = self._request("GET", "/api/scan", params=params)
        self.paused = _pauses(answer)
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def follow(
        self, poll_s: float = 60.0, min_confidence: float = 0.0, wait_s: int = 25
    ) -> Iterator[dict[str, Any]]:
        """Yields each fresh BUY or SELL once. Runs until the caller stops it.

        Skips stale signals, and slots that the subscriber paused in the portal. When a pause ends, its signals that
        are still fresh are yielded.

        Uses long polling: each request waits at the service for up to `wait_s` seconds until the list changes, so a
        signal arrives within about a second. If `wait_s` is 0, or if the key has too many long polls open, it polls
        every `poll_s` seconds instead. While the service is unavailable it keeps trying. It raises only errors that
        repeating does not fix, such as KeyRefused.
        """
        seen: set[int] = set()
        tag: Optional[str] = None
        paused: dict[str, str] = {}
        failures = 0
        while True:
            params: dict[str, Any] = {"expand": "validity"}
            if min_confidence > 0:
                params["min_confidence"] = f"{min_confidence:.6f}"
            if wait_s > 0:
                params["wait"] = wait_s
            try:
                try:
                    answer = self._request(
                        "GET",
                        "/api/scan",
                        params=params,
                        headers={"If-None-Match": tag} if tag and wait_s > 0 else None,
                        patience_s=self.timeout_s + wait_s,
                    )
                except ApiError as error:
                    if error.code != "too_many_open":
                        raise
                    params.pop("wait")
                    answer = self._request("GET", "/api/scan", params=params)
            except ApiError as error:
                if error.status not in RETRYABLE:
                    raise
                self.sleep(LONGEST_WAIT_S / 2)
                continue
            except NO_ANSWER:
                failures += 1
                self.sleep(self._pause(failures, None))
                continue
            failures = 0
            paused_before, paused = paused, _pauses(answer)
            self.paused = paused
            if answer.status != 304:
                tag = answer.headers.get("ETag")
                for signal in answer.json()["items"]:
                    fresh = not signal["stale"] and signal["pred_id"] not in seen
                    held = self.is_paused(signal["symbol"], signal["timeframe"])
                    if fresh and not held and signal["signal"] != "NO_TRADE":
                        seen.add(signal["pred_id"])
                        yield signal
            elif paused != paused_before:
                # Fetch the unchanged list again, because a pause that ended may have held back fresh signals.
                tag = None
                continue
            # A service without long polling answers at once, so pause to avoid an endless loop.
            if "wait" not in params or "Signal-Seq" not in answer.headers:
                self.sleep(poll_s)

    def stream(self, after: Optional[int] = None) -> Iterator[dict[str, Any]]:
        """Yields the events of the stream after number `after`, or from now on: {"event", "seq", "data"}.

        Events are `signal`, `gap` (some missed signals are not sent again), `model` and `status`. After a broken
        connection it reconnects after the last number, so no signal is lost or delivered twice. Raises KeyRefused
        when the key has ended. The stream does not contain the subscriber's pauses: before you open a position, call
        `scan` and check `is_paused`.
        """
        place = after
        failures = 0
        while True:
            retry_after: Optional[str] = None
            try:
                headers = {} if place is None else {"Last-Event-ID": str(place)}
                with self._open("GET", "/api/stream", headers=headers, timeout_s=SILENCE_S) as response:
                    if response.status == 200:
                        if place is None:
                            place = int(response.headers.get("Signal-Seq") or 0)
                        for number, event, data in _events(response):
                            failures = 0
                            if number is not None:
                                place = number
                            if data is None:
                                continue
                            told = json.loads(data)
                            if event == "end":
                                raise KeyRefused(401, told["code"], told["detail"], "")
                            if event in ("signal", "gap", "model", "status"):
                                yield {"event": event, "seq": place, "data": told}
                    else:
                        error = _error(Answer(response.status, response.headers, response.read()))
                        if error.status not in RETRYABLE:
                            raise error
                        retry_after = response.headers.get("Retry-After")
            except NO_ANSWER:
                pass
            failures += 1
            self.sleep(self._pause(failures, retry_after))

    def report(self, ticket: int, **fields: Any) -> dict[str, Any]:
        """Reports a position. The first report of a ticket needs symbol, timeframe and signal."""
        body: dict[str, Any] = {"ticket": str(ticket)}
        for name, value in fields.items():
            body[name] = utc(value) if isinstance(value, datetime) else value
        return self._object("POST", "/api/executions", body=body)

    def executions(self, days: int = 30, limit: int = 100) -> dict[str, Any]:
        """Reported positions, newest first, with their summary."""
        return self._object("GET", "/api/account/executions", params={"days": days, "limit": limit})

    def account(self) -> dict[str, Any]:
        """Plan, scope, expiry and the state of the trading client."""
        return self._object("GET", "/api/account/me")

    def _object(
        self,
        method: str,
        path: str,
        *,
        params: Optional[dict[str, Any]] = None,
        body: Optional[dict[str, Any]] = None,
    ) -> dict[str, Any]:
        told: dict[str, Any] = self._request(method, path, params=params, body=body).json()
        return told

    def _request(
        self,
        method: str,
        path: str,
        *,
        params: Optional[dict[str, Any]] = None,
        body: Optional[dict[str, Any]] = None,
        headers: Optional[dict[str, str]] = None,
        patience_s: Optional[float] = None,
    ) -> Answer:
        asked = path + ("?" + urllib.parse.urlencode(params) if params else "")
        sent = None if body is None else json.dumps(body).encode()
        for attempt in range(1, self.attempts + 1):
            last = attempt == self.attempts
            try:
                with self._open(
                    method, asked, headers=headers or {}, body=sent, timeout_s=patience_s or self.timeout_s
                ) as response:
                    answer = Answer(response.status, response.headers, response.read())
            except NO_ANSWER:
                if last:
                    raise
                self.sleep(self._pause(attempt, None))
                continue
            if answer.status < 400:
                return answer
            error = _error(answer)
            # Repeating does not help while the key's other long polls are open.
            if answer.status not in RETRYABLE or last or error.code == "too_many_open":
                raise error
            self.sleep(self._pause(attempt, answer.headers.get("Retry-After")))
        raise AssertionError("attempts must be at least 1")

    def _open(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        timeout_s: float,
        body: Optional[bytes] = None,
    ) -> Any:
        """The response with any status, before its body is read."""
        kind = {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(
            self.base_url + path, data=body, headers={**self._headers, **kind, **headers}, method=method
        )
        try:
            return self._opener.open(request, timeout=timeout_s)
        except urllib.error.HTTPError as error:
            return error

    @staticmethod
    def _pause(attempt: int, retry_after: Optional[str]) -> float:
        if retry_after is not None and retry_after.strip().isdigit():
            return min(LONGEST_WAIT_S, float(retry_after))
        # Full jitter, so that clients that failed together do not retry together.
        return random.uniform(0.0, min(LONGEST_WAIT_S, 2.0 ** min(attempt, 10)))


def _error(answer: Answer) -> ApiError:
    try:
        body = answer.json()
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    kind = KeyRefused if answer.status == 401 else ApiError
    return kind(
        answer.status,
        str(body.get("code", "unknown")),
        str(body.get("detail", http.client.responses.get(answer.status, ""))),
        str(body.get("request_id", answer.headers.get("X-Request-Id", ""))),
    )


def _pauses(answer: Answer) -> dict[str, str]:
    """The header X-Signals-Paused, such as "all;since=..." or "EURUSD/H1;since=..., XAUUSD/H4;since=..."."""
    parts = (part.strip().partition(";since=") for part in answer.headers.get("X-Signals-Paused", "").split(","))
    return {target: since for target, _, since in parts if target}


def _events(response: Any) -> Iterator[tuple[Optional[int], str, Optional[str]]]:
    """Server-sent events as they arrive: number, event and data."""
    fields: dict[str, str] = {}
    for line in response:
        text = line.decode("utf-8").rstrip("\r\n")
        if text:
            name, _, value = text.partition(":")
            fields[name] = value[1:] if value.startswith(" ") else value
            continue
        number = fields.get("id", "")
        yield (int(number) if number.isdigit() else None, fields.get("event", "message"), fields.get("data"))
        fields = {}


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    url = os.environ.get("SIGNAL_API_URL") or os.environ.get("BASE_URL", "")
    key = os.environ.get("SIGNAL_API_KEY") or os.environ.get("API_KEY", "")
    if not url or not key:
        print("Set SIGNAL_API_URL and SIGNAL_API_KEY, or BASE_URL and API_KEY.", file=sys.stderr)
        return 2
    service = SignalDelivery(url, key)
    command, rest = (arguments[0] if arguments else ""), arguments[1:]
    now = datetime.now(timezone.utc)
    try:
        if command == "scan":
            result: Any = service.scan(float(rest[0]) if rest else 0.0)
        elif command == "follow":
            for signal in service.follow():
                print(json.dumps(signal), flush=True)
            return 0
        elif command == "open" and len(rest) == 5:
            ticket, symbol, timeframe, direction, price = rest
            result = service.report(
                int(ticket), symbol=symbol, timeframe=timeframe, signal=direction, entry_price=float(price), opened_at=now
            )
        elif command == "close" and len(rest) == 4:
            ticket, price, pnl, outcome = rest
            result = service.report(
                int(ticket), exit_price=float(price), pnl=float(pnl), result=outcome, closed_at=now
            )
        elif command == "executions":
            result = service.executions()
        elif command == "account":
            result = service.account()
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except (ApiError, OSError, http.client.HTTPException) as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
