/** Starts an S3 server in this process, with one bucket, on a port of the system's choice. */
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";
import type { S3Config } from "../../services/delivery/assets/s3.ts";

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
