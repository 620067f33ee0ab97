/** Maps connection errors to codes that may be stored and shown to clients. */
import { BlockedAddressError } from "./guarded-agent.ts";

export type EgressErrorCode =
  | "blocked_address"
  | "dns_error"
  | "connection_refused"
  | "connection_reset"
  | "tls_error"
  | "timeout"
  | "too_large_headers"
  | "network_error";

const CODES: readonly (readonly [RegExp, EgressErrorCode])[] = [
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EREFUSED)$/, "dns_error"],
  [/^ECONNREFUSED$/, "connection_refused"],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/, "connection_reset"],
  [/^(EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$|CERT/, "tls_error"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "too_large_headers"],
];

/** The code for an error of undici, Node's sockets, TLS or DNS; `network_error` for any other. */
export function egressErrorCode(error: unknown): EgressErrorCode {
  if (error instanceof BlockedAddressError) return "blocked_address";
  if (!(error instanceof Error)) return "network_error";
  if (error.name === "TimeoutError") return "timeout";
  const { code } = error as NodeJS.ErrnoException;
  const known = CODES.find(([pattern]) => typeof code === "string" && pattern.test(code));
  if (known) return known[1];
  // Several addresses were tried, and all failed.
  if (error instanceof AggregateError) return egressErrorCode(error.errors[0]);
  return error.cause === undefined ? "network_error" : egressErrorCode(error.cause);
}
