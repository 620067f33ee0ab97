/** Ends requests whose bodies come too slowly, whether or not anybody reads them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { byConnection } from "#runtime/by-connection.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";

/** How long any body may take. */
export const BODY_MS = 10_000;
/** The bytes that give a body one second more. A slow line has as much: 20 MB may take seven minutes. */
export const BYTES_PER_SECOND = 50_000;
const LOOK_MS = 1_000;

/** A request whose body may not have come whole yet. */
type Coming = {
  request: IncomingMessage;
  response: ServerResponse;
  startedMs: number;
  readBefore: number;
};

export function limitBodyTime(
  app: FastifyInstance,
  { clock, log }: { clock: Clock; log: Log },
): void {
  const coming = byConnection<Coming>();
  const isLate = ({ bytesRead }: Socket, { startedMs, readBefore }: Coming) => {
    const moreMs = ((bytesRead - readBefore) / BYTES_PER_SECOND) * 1_000;
    return clock.monotonicMs() - startedMs > BODY_MS + moreMs;
  };
  app.addHook("onRequest", async ({ raw, headers }, reply) => {
    const length = headers["content-length"] ?? "0";
    if (length === "0" && headers["transfer-encoding"] === undefined) return;
    // A request from within the process has no connection, and its body at once.
    if (!(raw.socket instanceof Socket)) return;
    const startedMs = clock.monotonicMs();
    const readBefore = raw.socket.bytesRead;
    coming.set(raw.socket, { request: raw, response: reply.raw, startedMs, readBefore });
  });
  const look = () => {
    for (const [socket, one] of coming.entries()) {
      if (one.request.complete) coming.set(socket);
      else if (isLate(socket, one)) end(socket, one);
    }
  };
  const end = (socket: Socket, { response }: Coming) => {
    // A second answer would be taken for that to the next request.
    if (response.writableEnded) return socket.destroy();
    const error = Object.assign(new Error("the body came too slowly"), {
      code: "ERR_HTTP_REQUEST_TIMEOUT",
    });
    return app.server.emit("clientError", error, socket);
  };
  const job = { name: "end slow bodies", firstAfterMs: LOOK_MS, everyMs: LOOK_MS, run: look };
  const jobs = startPeriodicJobs([job], { clock, log });
  app.addHook("onClose", () => jobs[Symbol.asyncDispose]());
}
