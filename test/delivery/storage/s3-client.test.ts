/** How the S3 store connects: its credentials, and its patience with a bucket that is slow or silent. */
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createS3Store, type S3Config } from "../../../services/delivery/storage/s3.ts";
import { startS3 } from "../../support/s3.ts";
import { forTests } from "../../support/for-tests.ts";

const s3 = forTests(startS3);
afterEach(() => vi.unstubAllEnvs());

describe("the S3 client", () => {
  it("takes the credentials of the environment when none are configured", async () => {
    const config = { ...s3.config, credentials: undefined };
    vi.stubEnv("AWS_ACCESS_KEY_ID", "S3RVER");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "S3RVER");
    using store = createS3Store(config);
    await store.put("environment.mp4", body(10));
    expect(await store.head("environment.mp4")).toMatchObject({ bytes: 10 });
    vi.stubEnv("AWS_ACCESS_KEY_ID", "SOMEONE");
    using refused = createS3Store(config);
    await expect(refused.put("refused.mp4", body(10))).rejects.toThrow("Access Key");
  });

  it("tries again when the bucket is too busy, and stores nothing when it stays so", async () => {
    using store = createS3Store(s3.config);
    s3.slowDown(2);
    await store.put("busy.mp4", body(10));
    expect(await store.head("busy.mp4")).toMatchObject({ bytes: 10 });
    s3.slowDown(Infinity);
    await expect(store.put("later.mp4", body(10))).rejects.toThrow("reduce your request rate");
    s3.slowDown(0);
    expect(await store.head("later.mp4")).toBeUndefined();
    await store.put("later.mp4", body(10));
    expect(await store.head("later.mp4")).toMatchObject({ bytes: 10 });
  });

  it("gives up on a silent bucket, whatever waits for it", async () => {
    await using silent = await silentServer();
    const config: S3Config = { ...s3.config, endpoint: silent.url };
    const limits = { requestMs: 60_000, readMs: 50, putMs: 1_000 };
    using store = createS3Store(config, { limits });
    const puts = Array.from({ length: 12 }, (_, i) => store.put(`${i}.mp4`, body(9_000_000)));
    const outcomes = await Promise.allSettled([...puts, store.head("a.mp4"), store.get("a.mp4")]);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
    expect(silent.connections()).toBeGreaterThan(0);
  });
});

async function* body(bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(bytes);
}

/** Accepts connections and never says anything. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {}).resume()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
