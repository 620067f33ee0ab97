/** What the methods and URLs of requests say, and how answers list what is allowed. */

/** "GET, HEAD or POST". */
export const ONE_OF = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** Whether requests of this method change nothing (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Whether it is a read that succeeded: these change nothing and are many, so that logs keep a part of them. */
export function isQuietRead(method: string, status: number): boolean {
  return isSafe(method) && status < 400;
}

/** Whether the percent signs stand for text in UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    return !text.includes("%") || decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** Whether the URL is plain HTTP on the loopback interface, where cookies need not be Secure. */
export function isPlainLoopback(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
