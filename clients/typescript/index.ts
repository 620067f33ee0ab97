/** The client's public exports. */
export { ApiError, MediaError, type Fault } from "./http/api-error.ts";
export {
  ApiPromise,
  type LastResponse,
  type Result,
  type WithResponse,
} from "./http/api-promise.ts";
export { createClient, type Client } from "./client.ts";
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
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from "./verify-webhook.ts";
