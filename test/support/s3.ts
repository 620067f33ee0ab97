/** Starts an S3 server with one bucket in this process, on a free port where none is given. */
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver, { type Context, type Middleware } from "@20minutes/s3rver";
import type { S3Config } from "../../services/delivery/storage/s3.ts";

export async function startS3(port = 0) {
  const directory = await mkdtemp(join(tmpdir(), "s3-"));
  const requests: { method: string; url: string }[] = [];
  const server = new S3rver({
    address: "127.0.0.1",
    port,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: "assets" }],
  });
  let isFull = false;
  const refuseWhenFull: Middleware = async (ctx, next) => {
    if (isFull && ctx.method === "PUT") ctx.status = 507;
    else await next();
  };
  let hanging = Promise.resolve();
  let goOn = () => {};
  const hang: Middleware = async (_ctx, next) => {
    await hanging;
    await next();
  };
  let slowDowns = 0;
  const slowDown: Middleware = async (ctx, next) => {
    if (slowDowns <= 0) return next();
    slowDowns -= 1;
    ctx.status = 503;
    ctx.type = "application/xml";
    ctx.body = "<Error><Code>SlowDown</Code><Message>reduce your request rate</Message></Error>";
    return undefined;
  };
  server.middleware.unshift(hang, slowDown, refuseWhenFull, listWithVersion1, multipartUploads());
  const { port: chosen } = (await server.run()) as AddressInfo;
  server.httpServer.on("request", (request) => {
    requests.push({ method: request.method ?? "", url: request.url ?? "" });
  });
  const config: S3Config = {
    endpoint: `http://127.0.0.1:${chosen}`,
    region: "us-east-1",
    bucket: "assets",
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    forcePathStyle: true,
  };
  return {
    config,
    /** While full, every upload is refused. */
    setFull: (full: boolean) => void (isFull = full),
    /** While hanging, no request is answered. */
    setHanging(isHanging: boolean) {
      goOn();
      hanging = isHanging ? new Promise((resolve) => void (goOn = resolve)) : Promise.resolve();
    },
    /** The next `requests` requests get 503 SlowDown. */
    slowDown: (requests: number) => void (slowDowns = requests),
    /** All requests so far, oldest first. */
    requests: () => requests.slice(),
    async [Symbol.asyncDispose]() {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/**
 * Rewrites listings to version 1 of the protocol, because the server does not support pages in version 2, and their pages
 * to two objects, so that each listing has several. The server
 * also verifies a bucket's path without the trailing slash that our client signs, so it may accept any signature there.
 */
const listWithVersion1: Middleware = async (ctx, next) => {
  const isListing = /^\/[^/]+\/$/.test(ctx.path);
  ctx.app.allowMismatchedSignatures = isListing;
  if (isListing) {
    ctx.url = ctx.url
      .replace(/list-type=2&?/, "max-keys=2&")
      .replace("continuation-token=", "marker=");
  }
  await next();
  const [, last] = /.*<Key>([^<]*)<\/Key>/s.exec(String(ctx.body)) ?? [];
  if (isListing && String(ctx.body).includes("<IsTruncated>true")) {
    const token = `<NextContinuationToken>${last}</NextContinuationToken>`;
    ctx.body = String(ctx.body).replace("<IsTruncated>", `${token}<IsTruncated>`);
  }
};

type Upload = { key: string; id: string; initiated: Date };

/** A middleware; it must come before all others. */
function multipartUploads(): Middleware {
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
