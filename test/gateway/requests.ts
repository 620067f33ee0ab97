/** Requests with an API key, and the error in a response. */

/** The headers of a JSON request with a key. */
export function headersOf(secret: string, more: Record<string, string> = {}) {
  return { authorization: `Bearer ${secret}`, "content-type": "application/json", ...more };
}

/** POST with a JSON body. */
export function post(
  secret: string,
  body: unknown,
  more: Record<string, string> = {},
): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", headers: headersOf(secret, more), body: text };
}

export type ErrorAnswer = {
  error: {
    type: string;
    code: string;
    message: string;
    param?: string;
    doc_url?: string;
    request_id: string;
    details?: Record<string, unknown>;
    errors?: { code: string; message: string; param: string }[];
  };
};

export async function errorOf(response: Response): Promise<ErrorAnswer["error"]> {
  return ((await response.json()) as ErrorAnswer).error;
}
