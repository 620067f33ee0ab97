/** How tools call the REST API: as their client, within this process, with all of its checks, limits and log lines. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/media.ts";

export type ApiCall = {
  method: "GET" | "POST";
  /** With the prefix. */
  path: string;
  idempotencyKey?: string;
  /** The header of that name. */
  prefer?: string;
  /** JSON, or a file. */
  body?: object;
};

/** The answer's body; `replayed` is whether it tells of what an earlier request has made. Throws an ApiRefusal. */
export type CallApi = <T>(call: ApiCall) => Promise<{ body: T; replayed: boolean }>;

export type PublicError = components["schemas"]["Error"];

export class ApiRefusal extends Error {
  override name = "ApiRefusal";
  readonly error: PublicError;
  constructor(error: PublicError) {
    super(error.message);
    this.error = error;
  }
}

/** Calls `answered` at each answer. */
export function callApi(
  app: FastifyInstance,
  request: FastifyRequest,
  answered: () => void,
): CallApi {
  return async <T>({ method, path, idempotencyKey, prefer, body }: ApiCall) => {
    const isFile = body instanceof Uint8Array;
    const type = isFile ? "application/octet-stream" : "application/json";
    const {
      statusCode,
      headers: answeredHeaders,
      payload,
    } = await app.inject({
      method,
      url: path,
      remoteAddress: request.ip,
      headers: {
        authorization: request.headers.authorization ?? "",
        "request-id": request.id,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(prefer === undefined ? {} : { prefer }),
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined ? {} : { payload: isFile ? Buffer.from(body) : JSON.stringify(body) }),
    });
    answered();
    const answer = JSON.parse(payload) as unknown;
    if (statusCode >= 400) throw new ApiRefusal((answer as { error: PublicError }).error);
    return { body: answer as T, replayed: answeredHeaders["idempotent-replayed"] === "true" };
  };
}
