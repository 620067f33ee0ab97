"""Verifies the service's webhooks as Standard Webhooks specifies."""

# pyright: reportUnnecessaryIsInstance=false
# Many programs have no types.

from __future__ import annotations

import base64
import hmac
import re
import time
from collections.abc import Callable, Mapping
from typing import cast

from .errors import WebhookVerificationError
from .results import parsed
from .gen.types import WebhookEvent

_TOLERANCE_SECONDS = 5 * 60
_RAW_BODY = (
    "Pass the raw body, bytes or a text as received, not a parsed one: in Flask request.get_data(), in Django "
    "request.body, in FastAPI await request.body()."
)


def verify_webhook(
    raw_body: bytes | bytearray | memoryview | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """
    The event, if one of the signatures is valid and the attempt is at most five minutes old. ``raw_body`` is the body
    as received: parsing and serialising it again invalidates the signature. Otherwise raises WebhookVerificationError;
    answer 400 then. Events may be delivered more than once: compare the header ``webhook-id``. Raises ValueError
    where there is no secret, or it cannot be one: the webhook is not at fault then.
    """
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (AttributeError, TypeError, ValueError):
        key = b""
    if not key:
        raise ValueError("The secret must be the text whsec_…, all of it. Is its environment variable set?")
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    is_time = re.fullmatch(r"[0-9]{1,12}", timestamp)
    if not is_time or abs(int(now()) - int(timestamp)) > _TOLERANCE_SECONDS:
        raise WebhookVerificationError("webhook-timestamp is not within five minutes of this machine's time.")
    body = raw_body.encode(errors="replace") if isinstance(raw_body, str) else raw_body
    try:
        signed = f"{event_id}.{timestamp}.".encode(errors="replace") + body
    except TypeError:
        raise WebhookVerificationError(_RAW_BODY) from None
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    if not any(hmac.compare_digest(each.encode(errors="replace"), expected) for each in signatures.split(" ")):
        raise WebhookVerificationError(
            "No signature matches this body and secret. Check that the secret is that of this mode, and the body the raw one."
        )
    return cast(WebhookEvent, parsed(bytes(body)))


def _header(headers: Mapping[str, str], name: str) -> str:
    found = [value for key, value in headers.items() if key.lower() == name]
    if len(found) == 1 and isinstance(found[0], str):
        return found[0]
    raise WebhookVerificationError(f"The header {name} is missing or repeated.")
