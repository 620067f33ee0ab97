/** Where upstream providers call back: passed on byte by byte, answered with nothing. */
import type { FastifyInstance } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { Problem } from "../problem.ts";

/** As generation makes them; whatever else is called for does not get further than this door. */
const TOKEN = /^[\w-]{20,400}\.[\w-]{22}$/;
const MOST_BYTES = 1024 * 1024;
const MOST_HEADERS = 200;
const TIMEOUT_MS = 5_000;
/** What proves to us who a client is; no upstream has it. */
const DROPPED = new Set(["authorization", "cookie"]);

export function callbacks({ generation }: Deps): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    // Signatures cover the bytes as they came.
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
      done(null, body);
    });
    app.post<{ Params: { token: string }; Body: Buffer | undefined }>(
      "/callbacks/:token",
      { bodyLimit: MOST_BYTES },
      async ({ params: { token }, headers, body }, reply) => {
        if (!TOKEN.test(token)) throw new Problem("route_not_found");
        const call = { token, headers: passedOn(headers), body: body ?? new Uint8Array() };
        await generation.receiveCallback(call, { timeoutMs: TIMEOUT_MS }).catch(notFound);
        return reply.code(204).send();
      },
    );
  };
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const single = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && !DROPPED.has(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(single.slice(0, MOST_HEADERS));
}

/** An address that was never given out is as any other that does not exist. */
function notFound(error: unknown): never {
  throw reasonOf(error) === ErrorReason.NOT_FOUND ? new Problem("route_not_found") : error;
}
