"""The client of the Media Generation API: AI videos and images from a prompt."""

from . import types as types
from .client import AsyncClient as AsyncClient, Client as Client
from .errors import (
    ApiError as ApiError,
    ConnectionError as ConnectionError,
    GenerationCanceledError as GenerationCanceledError,
    MediaError as MediaError,
    TimeoutError as TimeoutError,
    WaitStoppedError as WaitStoppedError,
    WebhookVerificationError as WebhookVerificationError,
)
from .gen.error_classes import (
    AuthenticationError as AuthenticationError,
    BillingError as BillingError,
    ConflictError as ConflictError,
    GenerationError as GenerationError,
    IdempotencyError as IdempotencyError,
    InvalidRequestError as InvalidRequestError,
    NotFoundError as NotFoundError,
    PermissionError as PermissionError,
    RateLimitError as RateLimitError,
    ServiceError as ServiceError,
)
from .options import Picture as Picture
from .pages import AsyncListing as AsyncListing, Listing as Listing, Page as Page
from .results import LastResponse as LastResponse, last_response as last_response
from .send import RequestEvent as RequestEvent, Timing as Timing
from .version import __version__ as __version__
from .webhooks import verify_webhook as verify_webhook


_public = [name for name, value in globals().items() if type(value) is not type(types) and name[0] != "_"]
# Type checkers, which would not compute it, take what is imported above as itself.
globals()["__all__"] = [*_public, "__version__"]


def __dir__() -> list[str]:
    """For completion: the names above, not the modules that they come from."""
    return [*_public, "__version__", "types"]
