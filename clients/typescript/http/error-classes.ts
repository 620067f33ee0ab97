/** Made by `npm run gen` from openapi/media.yaml: the client's class for each type of error. */
import { ApiError, type UNKNOWN_CODE } from "./api-error.ts";

export class InvalidRequestError extends ApiError {
  override readonly name: string = "InvalidRequestError";
  declare readonly type: "invalid_request_error";
  declare readonly code: "invalid_json" | "unknown_field" | "missing_field" | "invalid_type" | "invalid_value" | "too_long" | "too_short" | "too_many" | "out_of_range" | "image_url_required" | "image_url_not_supported" | "image_urls_not_supported" | "unsupported_duration" | "unsupported_aspect_ratio" | "unsupported_size" | "unsupported_parameter" | "model_not_found" | "model_kind_mismatch" | "model_unavailable" | "url_not_allowed" | "file_not_found" | "invalid_idempotency_key" | "method_not_allowed" | "body_too_large" | "unsupported_media_type";
}

export class AuthenticationError extends ApiError {
  override readonly name: string = "AuthenticationError";
  declare readonly type: "authentication_error";
  declare readonly code: "missing_api_key" | "invalid_api_key" | "revoked_api_key" | "expired_api_key" | typeof UNKNOWN_CODE;
}

export class BillingError extends ApiError {
  override readonly name: string = "BillingError";
  declare readonly type: "billing_error";
  declare readonly code: "insufficient_tokens" | "spend_limit_reached";
}

export class PermissionError extends ApiError {
  override readonly name: string = "PermissionError";
  declare readonly type: "permission_error";
  declare readonly code: "production_access_required" | "account_suspended" | "key_not_permitted" | "storage_limit_reached" | typeof UNKNOWN_CODE;
}

export class NotFoundError extends ApiError {
  override readonly name: string = "NotFoundError";
  declare readonly type: "not_found_error";
  declare readonly code: "generation_not_found" | "model_not_found" | "delivery_not_found" | "file_not_found" | "route_not_found" | "gone" | typeof UNKNOWN_CODE;
}

export class ConflictError extends ApiError {
  override readonly name: string = "ConflictError";
  declare readonly type: "conflict_error";
  declare readonly code: "not_cancelable" | "already_finished" | "not_finished" | "file_in_use" | "webhook_url_disabled";
}

export class IdempotencyError extends ApiError {
  override readonly name: string = "IdempotencyError";
  declare readonly type: "idempotency_error";
  declare readonly code: "idempotency_key_reused";
}

export class RateLimitError extends ApiError {
  override readonly name: string = "RateLimitError";
  declare readonly type: "rate_limit_error";
  declare readonly code: "rate_limited" | "too_many_pending" | "too_many_files" | typeof UNKNOWN_CODE;
}

export class ServiceError extends ApiError {
  override readonly name: string = "ServiceError";
  declare readonly type: "api_error";
  declare readonly code: "internal" | "unavailable" | typeof UNKNOWN_CODE;
}

export class GenerationError extends ApiError {
  override readonly name: string = "GenerationError";
  declare readonly type: "generation_error";
  declare readonly code: "content_rejected" | "invalid_input" | "internal" | "upstream_failed" | "upstream_timeout" | "expired" | "canceled" | "generation_timeout";
}

export const ERROR_CLASSES: Readonly<Record<string, typeof ApiError>> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  billing_error: BillingError,
  permission_error: PermissionError,
  not_found_error: NotFoundError,
  conflict_error: ConflictError,
  idempotency_error: IdempotencyError,
  rate_limit_error: RateLimitError,
  api_error: ServiceError,
  generation_error: GenerationError,
};

/** The status that an error response has for a generation that failed with this code. */
export const GENERATION_STATUSES: Readonly<Record<string, number>> = {
  content_rejected: 400,
  invalid_input: 400,
  internal: 500,
  upstream_failed: 502,
  upstream_timeout: 504,
  expired: 504,
  canceled: 409,
  generation_timeout: 504,
};

/** The type of an error response without one, for example of a proxy. From 500 on it is `api_error`. */
export const STATUS_TYPES: Readonly<Record<number, ApiError["type"]>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};
