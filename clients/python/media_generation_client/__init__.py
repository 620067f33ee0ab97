"""The client of the Media Generation API: AI videos and images from a prompt."""

from .api_error import ApiError
from .async_client import AsyncClient
from .client import Client
from .error_classes import (
    AuthenticationError,
    BillingError,
    ConflictError,
    GenerationError,
    IdempotencyError,
    InvalidRequestError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServiceError,
)
from .errors import (
    ConnectionError,
    GenerationCanceledError,
    TimeoutError,
    WaitStoppedError,
    WebhookVerificationError,
)
from .media_error import MediaError
from .pages import AsyncListing, Listing, Page
from .pictures import Picture
from .results import LastResponse, last_response
from .retry import Timing
from .send import RequestEvent
from .version import __version__
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncListing",
    "AuthenticationError",
    "BillingError",
    "Client",
    "ConflictError",
    "ConnectionError",
    "GenerationCanceledError",
    "GenerationError",
    "IdempotencyError",
    "InvalidRequestError",
    "LastResponse",
    "Listing",
    "MediaError",
    "NotFoundError",
    "Page",
    "PermissionError",
    "Picture",
    "RateLimitError",
    "RequestEvent",
    "ServiceError",
    "TimeoutError",
    "Timing",
    "WaitStoppedError",
    "WebhookVerificationError",
    "__version__",
    "last_response",
    "verify_webhook",
]


def __dir__() -> list[str]:
    """For completion: the names above, not the modules that they come from."""
    return [*__all__, "types"]
