/** The whole service: what it says at its start, and webhooks without an event stream. */
import { createClient } from "@connectrpc/connect";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { natsAt } from "#runtime/events/config.ts";
import { createLog } from "#runtime/log.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { DeliveryConfig } from "../../services/delivery/config.ts";
import { start } from "../../services/delivery/service.ts";
import { scrapeAll } from "../../services/ops/status/scrape.ts";
import { testDatabase } from "../support/database.ts";
import { startReceiver } from "../support/receiver.ts";
import { deliveryConfig } from "../support/service-configs.ts";
import { finishedEvent } from "./finished-event.ts";
import { silentLog } from "./test-deps.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const cleanup = new AsyncDisposableStack();

const { path: dataDir } = cleanup.use(await temporaryFolder());
const database = cleanup.use(await testDatabase("delivery"));
const [own, generation, gateway] = await Promise.all(
  ["delivery", "generation", "gateway"].map((name) => generateIdentity(name)),
);
if (!own || !generation || !gateway) throw new Error("no identities");
const config = deliveryConfig({
  databaseUrl: database.url,
  maxConnections: 4,
  // Nobody listens: no webhook needs the event stream.
  nats: natsAt("nats://127.0.0.1:1"),
  identity: own.privateKey,
  trusted: { keys: [own.publicKey, generation.publicKey, gateway.publicKey] },
  dataDir,
  egressAllow: ["127.0.0.0/8"],
  provenance: "detect",
});
afterAll(() => cleanup.disposeAsync());

/** The service, and clients of it. */
async function setUp(change: Partial<DeliveryConfig> = {}) {
  const service = await start({ ...config, ...change }, { log: silentLog });
  const clientOf = (caller: "generation" | "gateway") =>
    createClient(DeliveryService, service.directTransport(caller));
  return { service, generation: clientOf("generation"), gateway: clientOf("gateway") };
}

describe("the delivery service", () => {
  it("says once at its start that videos get no thumbnails, where nothing can decode them", async () => {
    const lines: string[] = [];
    const log = createLog("delivery", "info", { write: (line) => void lines.push(line) });
    const started = await start(config, { log, decoder: { codecs: "none" } });
    await started[Symbol.asyncDispose]();
    const said = lines.filter((line) => line.includes("without thumbnails"));
    expect(said).toEqual([expect.stringContaining("install ffmpeg or @mediabunny/server")]);
  });

  it("shows the space of its disk from the start, before it has stored a file", async () => {
    await using service = (await setUp()).service;
    const free = async () => {
      const [replica] = await scrapeAll({ delivery: [service.rpcUrl] }, undefined);
      return replica?.samples?.find(({ name }) => name === "media_storage_free_bytes")?.value;
    };
    await expect.poll(free).toBeGreaterThan(0);
  });

  it("sends the webhook of an end at once, signed with the account's secret", async () => {
    await using receiver = await startReceiver();
    const { service, generation, gateway } = await setUp();
    await using _service = service;
    const video = { prompt: "p", duration: 5, aspectRatio: "16:9", webhookUrl: receiver.url };
    const input = { case: "video", value: video } as const;
    const event = finishedEvent({ mode: Mode.LIVE, input });
    await generation.acceptEnd({ finished: event });
    await receiver.has(1);

    const { accountId = "" } = event.generation ?? {};
    const { secret } = await gateway.getWebhookSecret({ accountId, mode: Mode.LIVE });
    const [request] = receiver.received;
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(request?.body ?? "", headers)).toMatchObject({
      type: "video.generation.completed",
      data: { id: event.generation?.id, status: "success" },
    });
    expect(headers["webhook-id"]).toBe(event.eventId);
  });
});
