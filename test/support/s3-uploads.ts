/** Adds to the tests' S3 server what it lacks: listing and aborting unfinished multipart uploads. */
import type { Context, Middleware } from "@20minutes/s3rver";

type Upload = { key: string; id: string; initiated: Date };

/** A middleware; it must come before all others. */
export function multipartUploads(): Middleware {
  const unfinished = new Map<string, Upload>();

  return async (ctx, next) => {
    const { method, query, path } = ctx;
    const key = path.split("/").slice(2).join("/");
    const id = String(query["uploadId"] ?? "");
    if (method === "GET" && "uploads" in query) return list(ctx, [...unfinished.values()]);
    if (id !== "" && !unfinished.has(id)) return refuse(ctx);
    if (method === "DELETE" && id !== "") {
      unfinished.delete(id);
      ctx.status = 204;
      return;
    }
    await next();
    if (method === "POST" && "uploads" in query) {
      const started = uploadIdOf(ctx.body);
      unfinished.set(started, { key, id: started, initiated: new Date() });
    }
    if (method === "POST" && id !== "" && ctx.status === 200) unfinished.delete(id);
  };
}

function uploadIdOf(body: unknown): string {
  return /[0-9a-f]{32}/.exec(typeof body === "string" ? body : JSON.stringify(body))?.[0] ?? "";
}

function list(ctx: Context, uploads: readonly Upload[]): void {
  const maxUploads = Number(ctx.query["max-uploads"] ?? 1_000);
  const marker = String(ctx.query["upload-id-marker"] ?? "");
  const from = uploads.findIndex(({ id }) => id === marker) + 1;
  const page = uploads.slice(from, from + maxUploads);
  const last = page.at(-1);
  const isTruncated = from + page.length < uploads.length;
  const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.id}</NextUploadIdMarker>`;
  const entries = page.map(
    ({ key, id, initiated }) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>` +
      `<Initiated>${initiated.toISOString()}</Initiated></Upload>`,
  );
  ctx.type = "application/xml";
  ctx.body =
    `<?xml version="1.0"?><ListMultipartUploadsResult><IsTruncated>${isTruncated}</IsTruncated>` +
    `${isTruncated ? next : ""}${entries.join("")}</ListMultipartUploadsResult>`;
}

function refuse(ctx: Context): void {
  ctx.status = 404;
  ctx.type = "application/xml";
  ctx.body = `<?xml version="1.0"?><Error><Code>NoSuchUpload</Code><Message>no such upload</Message></Error>`;
}
