"""Made by `npm run gen` from openapi/media.yaml: the class for each type of error."""

# pyright: reportIncompatibleVariableOverride=false
# Nobody assigns to the attributes of an error.

from __future__ import annotations

from typing import Final, Literal

from ..errors import ApiError


class InvalidRequestError(ApiError):
    type: Literal["invalid_request_error"]
    code: Literal["invalid_json", "unknown_field", "missing_field", "invalid_type", "invalid_value", "too_long", "too_short", "too_many", "out_of_range", "image_url_required", "image_url_not_supported", "image_urls_not_supported", "unsupported_duration", "unsupported_aspect_ratio", "unsupported_size", "unsupported_parameter", "model_not_found", "model_kind_mismatch", "model_unavailable", "url_not_allowed", "file_not_found", "invalid_idempotency_key", "method_not_allowed", "body_too_large", "unsupported_media_type"]


class AuthenticationError(ApiError):
    type: Literal["authentication_error"]
    code: Literal["missing_api_key", "invalid_api_key", "revoked_api_key", "expired_api_key", "unknown"]


class BillingError(ApiError):
    type: Literal["billing_error"]
    code: Literal["insufficient_tokens", "spend_limit_reached"]


class PermissionError(ApiError):
    type: Literal["permission_error"]
    code: Literal["production_access_required", "account_suspended", "key_not_permitted", "storage_limit_reached", "unknown"]


class NotFoundError(ApiError):
    type: Literal["not_found_error"]
    code: Literal["generation_not_found", "model_not_found", "delivery_not_found", "file_not_found", "route_not_found", "gone", "unknown"]


class ConflictError(ApiError):
    type: Literal["conflict_error"]
    code: Literal["not_cancelable", "already_finished", "not_finished", "file_in_use", "webhook_url_disabled"]


class IdempotencyError(ApiError):
    type: Literal["idempotency_error"]
    code: Literal["idempotency_key_reused"]


class RateLimitError(ApiError):
    type: Literal["rate_limit_error"]
    code: Literal["rate_limited", "too_many_pending", "too_many_files", "unknown"]


class ServiceError(ApiError):
    type: Literal["api_error"]
    code: Literal["internal", "unavailable", "unknown"]


class GenerationError(ApiError):
    type: Literal["generation_error"]
    code: Literal["content_rejected", "invalid_input", "internal", "upstream_failed", "upstream_timeout", "expired", "canceled", "generation_timeout"]


ERROR_CLASSES: Final[dict[str, type[ApiError]]] = {"invalid_request_error": InvalidRequestError, "authentication_error": AuthenticationError, "billing_error": BillingError, "permission_error": PermissionError, "not_found_error": NotFoundError, "conflict_error": ConflictError, "idempotency_error": IdempotencyError, "rate_limit_error": RateLimitError, "api_error": ServiceError, "generation_error": GenerationError}

GENERATION_STATUSES: Final[dict[str, int]] = {"content_rejected": 400, "invalid_input": 400, "internal": 500, "upstream_failed": 502, "upstream_timeout": 504, "expired": 504, "canceled": 409, "generation_timeout": 504}
"""The status that an error response has for a generation that failed with this code."""

STATUS_TYPES: Final[dict[int, str]] = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
"""The type of an error response without one, for example of a proxy. From 500 on it is `api_error`."""
