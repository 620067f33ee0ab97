/** The client's public exports. */
export { createClient } from "./client.ts";
export type { Client, CreateOptions } from "./client.ts";
export type { CallOptions, ClientOptions } from "./connection.ts";
export { ApiError, ConnectionError, WebhookVerificationError } from "./errors.ts";
export type { Listing, Page } from "./pages.ts";
export type * from "./types.ts";
export { verifyWebhook } from "./verify-webhook.ts";
export type { VerifyOptions, WebhookEvent, WebhookHeaders } from "./verify-webhook.ts";
export type { WaitOptions } from "./wait.ts";
