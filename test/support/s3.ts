/** Starts an S3 server with one bucket in this process, on a free port where none is given. */
import type { AddressInfo } from "node:net";
import S3rver, { type Middleware } from "@20minutes/s3rver";
import type { S3Config } from "../../services/delivery/storage/s3.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export async function startS3(port = 0) {
  const folder = await temporaryFolder();
  const requests: { method: string; url: string }[] = [];
  const server = new S3rver({
    address: "127.0.0.1",
    port,
    silent: true,
    directory: folder.path,
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
  server.middleware.unshift(hang, slowDown, refuseWhenFull, listWithVersion1, abortUploads);
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
      await folder[Symbol.asyncDispose]();
    },
  };
}

/**
 * Rewrites listings to version 1 of the protocol, because the server has no pages in version 2, and their pages to two
 * objects, so that each listing has several. The server also verifies a bucket's path without the trailing slash that
 * our client signs, so it may accept any signature there.
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

/** The server would delete the object instead. */
const abortUploads: Middleware = async (ctx, next) => {
  if (ctx.method === "DELETE" && "uploadId" in ctx.query) ctx.status = 204;
  else await next();
};
