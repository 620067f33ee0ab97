/** The client's public exports. */
export { ApiError } from "./api-error.ts";
export type { Fault } from "./api-error.ts";
export { ApiPromise } from "./api-promise.ts";
export type { LastResponse, Result, WithResponse } from "./api-promise.ts";
export { createClient } from "./client.ts";
export type { Client } from "./client.ts";
export type { CallOptions, ClientOptions } from "./connection.ts";
export { ConnectionError, TimeoutError, WebhookVerificationError } from "./errors.ts";
export * from "../../gen/openapi/media-errors.ts";
export type { CreateOptions } from "./idempotency.ts";
export type { Listing, Page } from "./pages.ts";
export type { Fetch, RequestEvent } from "./send.ts";
export type * from "./types.ts";
export { verifyWebhook } from "./verify-webhook.ts";
export type { VerifyOptions, WebhookEvent, WebhookHeaders } from "./verify-webhook.ts";
export type { WaitOptions } from "./wait.ts";
