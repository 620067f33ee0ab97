/** Receives callbacks of upstreams and forwards them to generation byte by byte. */
import type { FastifyInstance } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import type { Client } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { Problem } from "./problem.ts";

/** The format of generation's callback tokens; any other is 404 without an RPC. */
const TOKEN = /^[\w-]{20,400}\.[\w-]{22}$/;
const MAX_BYTES = 1024 * 1024;
const MAX_HEADERS = 200;
/** Credentials of our own clients, which no upstream has. */
const DROPPED_HEADERS = new Set(["authorization", "cookie"]);

type CallbackDeps = { generation: Client<typeof GenerationService> };

export function callbacks({ generation }: CallbackDeps): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    // Signatures cover the exact bytes of the body.
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
      done(null, body);
    });
    app.post<{ Params: { token: string }; Body: Buffer | undefined }>(
      "/callbacks/:token",
      {
        bodyLimit: MAX_BYTES,
        // The token is checked before the body is read: nobody who has no callback URL makes this process hold a body.
        onRequest: async ({ params: { token } }) => {
          if (!TOKEN.test(token)) throw new Problem("route_not_found");
          await generation.checkCallback({ token }).catch(notFound);
        },
      },
      async ({ params: { token }, headers, body }, reply) => {
        const call = { token, headers: forwardedHeaders(headers), body: body ?? new Uint8Array() };
        await generation.receiveCallback(call).catch(notFound);
        return reply.code(204).send();
      },
    );
  };
}

function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && !DROPPED_HEADERS.has(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(single.slice(0, MAX_HEADERS));
}

/** A callback URL that was never issued is 404 like any unknown route. */
function notFound(error: unknown): never {
  throw reasonOf(error) === ErrorReason.NOT_FOUND ? new Problem("route_not_found") : error;
}
