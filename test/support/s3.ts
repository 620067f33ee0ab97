/** Starts an S3 server in this process, with one bucket, on a port of the system's choice. */
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
  server.middleware.unshift(olderListings, multipartUploads());
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
    /** Every request so far, oldest first. */
    requests: () => requests.slice(),
    async [Symbol.asyncDispose]() {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/**
 * The server signs a bucket's own path without its last slash, as only older clients do, and cannot cut a listing
 * into pages in the newer protocol, for want of a cipher: it is asked in the older one, and says the same.
 */
const olderListings: Middleware = async (ctx, next) => {
  const isListing = /^\/[^/]+\/$/.test(ctx.path);
  ctx.app.allowMismatchedSignatures = isListing;
  if (isListing) {
    ctx.url = ctx.url.replace(/list-type=2&?/, "").replace("start-after=", "marker=");
  }
  await next();
};
