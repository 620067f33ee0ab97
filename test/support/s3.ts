/** Starts an S3 server with one bucket in this process, on a free port. */
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import type { Middleware } from "@20minutes/s3rver";
import type { S3Config } from "../../services/delivery/storage/s3.ts";
import { multipartUploads } from "./s3-uploads.ts";

export async function startS3() {
  const directory = await mkdtemp(join(tmpdir(), "s3-"));
  const requests: { method: string; url: string }[] = [];
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: "assets" }],
  });
  server.middleware.unshift(listWithVersion1, multipartUploads());
  const { port } = (await server.run()) as AddressInfo;
  server.httpServer.on("request", (request) => {
    requests.push({ method: request.method ?? "", url: request.url ?? "" });
  });
  const config: S3Config = {
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    bucket: "assets",
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
    forcePathStyle: true,
  };
  return {
    config,
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
 * Rewrites listings to version 1 of the protocol, because the server does not support pages in version 2. The server
 * also verifies a bucket's path without the trailing slash that our client signs, so it may accept any signature there.
 */
const listWithVersion1: Middleware = async (ctx, next) => {
  const isListing = /^\/[^/]+\/$/.test(ctx.path);
  ctx.app.allowMismatchedSignatures = isListing;
  if (isListing) {
    ctx.url = ctx.url.replace(/list-type=2&?/, "").replace("start-after=", "marker=");
  }
  await next();
};
