/** The client's public exports. */
export { ApiError, MediaError } from "./http/api-error.ts";
export type { Fault } from "./http/api-error.ts";
export { ApiPromise } from "./http/api-promise.ts";
export type { LastResponse, Result, WithResponse } from "./http/api-promise.ts";
export { createClient } from "./client.ts";
export type { Client } from "./client.ts";
export type { CallOptions, ClientOptions } from "./http/connection.ts";
export type { CreateImageOptions, CreateOptions, WaitOptions } from "./http/connection.ts";
export {
  ArgumentError,
  ConnectionError,
  GenerationCanceledError,
  TimeoutError,
  WaitStoppedError,
  WebhookVerificationError,
} from "./http/errors.ts";
export * from "./http/error-classes.ts";
export type { ModelList } from "./operations/account.ts";
export type { ListedPage, Listing, Page } from "./http/pages.ts";
export type { Fetch, RequestEvent } from "./http/send.ts";
export type * from "./http/types.ts";
export { quoteTokens } from "./quote.ts";
export { verifyWebhook } from "./verify-webhook.ts";
export type { WebhookEvent, WebhookHeaders } from "./verify-webhook.ts";
