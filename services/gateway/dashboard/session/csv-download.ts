/** Sends the CSV of a list as a download, a page of the list at a time. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { csvLine } from "#runtime/csv.ts";

type Cell = Parameters<typeof csvLine>[0][number];

/** `read` reads the page after `after`; its `next` is undefined for the last one. The header is the columns' names. */
export async function sendCsv<Column extends string, Position>(
  request: FastifyRequest,
  reply: FastifyReply,
  fileName: string,
  columns: readonly Column[],
  read: (after?: Position) => Promise<{
    rows: readonly { [name in Column]?: Cell }[];
    next: Position | undefined;
  }>,
): Promise<unknown> {
  void reply
    .type("text/csv; charset=utf-8")
    .header("content-disposition", `attachment; filename="${fileName}"`);
  if (request.method === "HEAD") return "";
  // Read before the response begins, so that an error can still become an error response.
  const first = await read();
  async function* text() {
    yield csvLine(columns);
    for (let page = first; ; page = await read(page.next)) {
      yield page.rows.map((row) => csvLine(columns.map((name) => row[name]))).join("");
      if (page.next === undefined) return;
      await request.admitAgain?.();
    }
  }
  return reply.send(Readable.from(text()));
}
