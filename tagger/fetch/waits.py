"""What an answer says about how long to wait, and why."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def wait_of(status: int, headers: Mapping[str, str], body: bytes) -> float:
    """Seconds that a service asks to wait: in a header, or, as OpenReview does, in the JSON of the answer; else 0."""
    wait = seconds_of(headers.get("Retry-After"))
    if status == 429 and not wait:  # other answers say too when the budget of requests is renewed
        wait = seconds_of(headers.get("RateLimit-Reset"))
    if wait:
        return wait
    try:
        reset = datetime.fromisoformat(json.loads(body)["details"]["resetTime"])
        return max(0.0, reset.timestamp() - time.time())
    except (ValueError, LookupError, TypeError, RecursionError):
        return 0.0


def seconds_of(value: str | None) -> float:
    """Seconds in the value of a header: a number, or a date; 0 if it is neither."""
    if not value:
        return 0.0
    if re.fullmatch(r"\s*\d{1,9}(\.\d+)?\s*", value):
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - time.time())


def reason_of(body: bytes) -> str:
    """What a service says about its refusal, in brackets after a blank, if it says it in JSON."""
    try:
        told = json.loads(body)["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return f" ({' '.join(str(told).split())[:120]})"
