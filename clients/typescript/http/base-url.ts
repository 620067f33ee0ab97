/** The service's URL as people write it: with or without the API version. */
import { ArgumentError } from "./errors.ts";

/** What to look at where something else than the API has answered. */
export const BASE_HINT = "Check baseUrl: the base of the API ends in /v1.";

const EXAMPLE = "An example: https://media.example.com/v1";

/**
 * The URL with `/v1`, which is added where the URL has no path. A path is kept as it is, because a proxy may give the API
 * another one. Throws ArgumentError, which names `source`, for what is not an http or https URL.
 */
export function apiUrl(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new ArgumentError(
      `${source} is not a URL that begins with http:// or https://: ${text}. ${EXAMPLE}`,
    );
  }
  if (url.search || url.hash) {
    throw new ArgumentError(`${source} must end with its path, such as /v1: ${text}. ${EXAMPLE}`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path === "" ? "/v1" : path}`;
}
