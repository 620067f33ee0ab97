/** Sends CSV as a download, a page at a time. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A HEAD request gets the headers only. */
export async function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  pages: AsyncGenerator<string, void>,
): Promise<unknown> {
  void reply
    .type("text/csv; charset=utf-8")
    .header("content-disposition", `attachment; filename="${name}"`);
  if (request.method === "HEAD") return "";
  // Read before the response begins, so that an error can still become an error response.
  const first = await pages.next();
  return reply.send(Readable.from(resumed(first, pages)));
}

async function* resumed(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
