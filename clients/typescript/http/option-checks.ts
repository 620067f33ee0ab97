/** What each option of the client and of its calls must be. */
import {
  BOOLEAN,
  COUNT,
  FUNCTION,
  HEADER_TEXT,
  HEADERS,
  MILLISECONDS,
  OBJECT,
  SIGNAL,
  TEXT,
  type Checks,
} from "./arguments.ts";
import type { CallOptions, ClientOptions } from "./connection.ts";
import type { CreateOptions } from "./idempotency.ts";
import type { WaitOptions } from "./wait.ts";

export const CLIENT_OPTIONS: Checks<ClientOptions> = {
  apiKey: TEXT,
  baseUrl: TEXT,
  fetch: FUNCTION,
  headers: HEADERS,
  maxAttempts: COUNT,
  timeoutMs: MILLISECONDS,
  onRequest: FUNCTION,
  timing: OBJECT,
};

export const CALL_OPTIONS: Checks<CallOptions> = {
  signal: SIGNAL,
  timeoutMs: MILLISECONDS,
  maxAttempts: COUNT,
  headers: HEADERS,
};

export const CREATE_OPTIONS: Checks<CreateOptions> = {
  ...CALL_OPTIONS,
  idempotencyKey: HEADER_TEXT,
};

export const CREATE_IMAGE_OPTIONS: Checks<CreateOptions & { respondAsync?: boolean }> = {
  ...CREATE_OPTIONS,
  respondAsync: BOOLEAN,
};

export const WAIT_OPTIONS: Checks<WaitOptions<unknown>> = {
  ...CALL_OPTIONS,
  onProgress: FUNCTION,
  pollMs: MILLISECONDS,
  waitMs: MILLISECONDS,
};

export const CREATE_AND_WAIT_OPTIONS: Checks<CreateOptions & WaitOptions<unknown>> = {
  ...CREATE_OPTIONS,
  ...WAIT_OPTIONS,
};
