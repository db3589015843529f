"""Client for the signal delivery service. Python 3.9 or newer and `requests`.

    export SIGNAL_API_URL=https://signals.example.com
    export SIGNAL_API_KEY=...
    python3 signal_delivery.py scan
    python3 signal_delivery.py open 1001 EURUSD H1 BUY 1.08421
    python3 signal_delivery.py close 1001 1.08655 23.40 TP
    python3 signal_delivery.py executions

In a program:

    from signal_delivery import SignalDelivery
    service = SignalDelivery(url, key)
    for signal in service.scan(min_confidence=0.5):
        ...
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from datetime import datetime, timezone
from typing import Any, Callable, Iterator, Optional

import requests

RETRYABLE = frozenset({429, 500, 502, 503, 504})
LONGEST_WAIT_S = 60.0


class ApiError(Exception):
    """An answer other than success. `code` is stable; `detail` is a sentence for people."""

    def __init__(self, status: int, code: str, detail: str, request_id: str) -> None:
        super().__init__(f"{status} {code}: {detail} (request {request_id})")
        self.status = status
        self.code = code
        self.detail = detail
        self.request_id = request_id


class KeyRefused(ApiError):
    """401: the key is missing, unknown, expired, revoked or replaced. Repeating does not help."""


def utc(at: datetime) -> str:
    """A time as the service writes it. A time without a zone is taken as UTC."""
    aware = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class SignalDelivery:
    """One key on one service.

    Requests are repeated when the service is busy or away (429, 5xx, no connection): first after what
    `Retry-After` says, else after a pause that doubles. Reports may be repeated safely because the
    ticket identifies them. `sleep` can be replaced where waiting is not wanted.
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
        self.session = requests.Session()
        self.session.headers.update({"X-API-Key": api_key.strip(), "Accept": "application/json"})
        self._scans: dict[float, tuple[str, list[dict[str, Any]]]] = {}

    def scan(self, min_confidence: float = 0.0) -> list[dict[str, Any]]:
        """The newest signal of every slot that the key may see. Unchanged answers cost no transfer."""
        known = self._scans.get(min_confidence)
        answer = self._request(
            "GET",
            "/api/scan",
            params={"min_confidence": f"{min_confidence:.6f}"} if min_confidence > 0 else None,
            headers={"If-None-Match": known[0]} if known else None,
        )
        if answer.status_code == 304 and known:
            return known[1]
        items = answer.json()["items"]
        if answer.headers.get("ETag"):
            self._scans[min_confidence] = (answer.headers["ETag"], items)
        return items

    def follow(
        self, poll_s: float = 60.0, min_confidence: float = 0.0, wait_s: int = 25
    ) -> Iterator[dict[str, Any]]:
        """Yields each fresh BUY or SELL once, for as long as it is asked. Stale signals are left out.

        Each request waits at the service for up to `wait_s` seconds until something changes, so that a signal arrives
        within a second of its making. With `wait_s` of 0, and where too many requests of the key wait already, it asks
        every `poll_s` seconds instead.
        """
        seen: set[int] = set()
        tag: Optional[str] = None
        while True:
            params: dict[str, Any] = {"expand": "validity"}
            if min_confidence > 0:
                params["min_confidence"] = f"{min_confidence:.6f}"
            if wait_s > 0:
                params["wait"] = wait_s
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
            if answer.status_code != 304:
                tag = answer.headers.get("ETag")
                for signal in answer.json()["items"]:
                    fresh = not signal["stale"] and signal["pred_id"] not in seen
                    if fresh and signal["signal"] != "NO_TRADE":
                        seen.add(signal["pred_id"])
                        yield signal
            # A service that knows no wait answers at once: without a pause it would be asked without end.
            if "wait" not in params or "Signal-Seq" not in answer.headers:
                self.sleep(poll_s)

    def report(self, ticket: int, **fields: Any) -> dict[str, Any]:
        """Reports a position. The first report of a ticket needs symbol, timeframe and signal."""
        body = {"ticket": str(ticket)}
        for name, value in fields.items():
            body[name] = utc(value) if isinstance(value, datetime) else value
        return self._request("POST", "/api/executions", body=body).json()

    def executions(self, days: int = 30, limit: int = 100) -> dict[str, Any]:
        """Reported positions, newest first, with their summary."""
        return self._request("GET", "/api/account/executions", params={"days": days, "limit": limit}).json()

    def account(self) -> dict[str, Any]:
        """Plan, scope, expiry and the state of the trading client."""
        return self._request("GET", "/api/account/me").json()

    def _request(
        self,
        method: str,
        path: str,
        *,
        params: Optional[dict[str, Any]] = None,
        body: Optional[dict[str, Any]] = None,
        headers: Optional[dict[str, str]] = None,
        patience_s: Optional[float] = None,
    ) -> requests.Response:
        for attempt in range(1, self.attempts + 1):
            last = attempt == self.attempts
            try:
                answer = self.session.request(
                    method,
                    self.base_url + path,
                    params=params,
                    data=None if body is None else json.dumps(body),
                    headers={**(headers or {}), **({"Content-Type": "application/json"} if body is not None else {})},
                    timeout=patience_s or self.timeout_s,
                )
            except (requests.ConnectionError, requests.Timeout):
                if last:
                    raise
                self.sleep(self._pause(attempt, None))
                continue
            if answer.status_code < 400:
                return answer
            error = self._error(answer)
            # Repeating does not help while the others wait.
            if answer.status_code not in RETRYABLE or last or error.code == "too_many_open":
                raise error
            self.sleep(self._pause(attempt, answer.headers.get("Retry-After")))
        raise AssertionError("attempts must be at least 1")

    @staticmethod
    def _pause(attempt: int, retry_after: Optional[str]) -> float:
        if retry_after is not None and retry_after.strip().isdigit():
            return min(LONGEST_WAIT_S, float(retry_after))
        # Full jitter: clients that failed together do not come back together.
        return random.uniform(0.0, min(LONGEST_WAIT_S, 2.0**attempt))

    @staticmethod
    def _error(answer: requests.Response) -> ApiError:
        try:
            body = answer.json()
        except ValueError:
            body = {}
        if not isinstance(body, dict):
            body = {}
        kind = KeyRefused if answer.status_code == 401 else ApiError
        return kind(
            answer.status_code,
            str(body.get("code", "unknown")),
            str(body.get("detail", answer.reason)),
            str(body.get("request_id", answer.headers.get("X-Request-Id", ""))),
        )


def main(arguments: list[str]) -> int:
    url = os.environ.get("SIGNAL_API_URL", "")
    key = os.environ.get("SIGNAL_API_KEY", "")
    if not url or not key:
        print("Set SIGNAL_API_URL and SIGNAL_API_KEY.", file=sys.stderr)
        return 2
    service = SignalDelivery(url, key)
    command, rest = (arguments[0] if arguments else ""), arguments[1:]
    now = datetime.now(timezone.utc)
    try:
        if command == "scan":
            result: Any = service.scan(float(rest[0]) if rest else 0.0)
        elif command == "open" and len(rest) == 5:
            ticket, symbol, timeframe, signal, price = rest
            result = service.report(
                int(ticket), symbol=symbol, timeframe=timeframe, signal=signal, entry_price=float(price), opened_at=now
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
    except (ApiError, requests.RequestException) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
