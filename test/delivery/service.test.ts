/** The whole service: which pictures it fetches, and webhooks without an event stream. */
import { createClient } from "@connectrpc/connect";
import { Webhook } from "standardwebhooks";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { natsAt } from "#runtime/events/config.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import { start } from "../../services/delivery/service.ts";
import { testDatabase } from "../support/database.ts";
import { startHttp } from "../support/http-server.ts";
import { makeImage } from "../support/make-media.ts";
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
const service = cleanup.use(await start(config, { log: silentLog }));
afterAll(() => cleanup.disposeAsync());

const clientOf = (caller: "generation" | "gateway") =>
  createClient(DeliveryService, service.directTransport(caller));

describe("the delivery service", () => {
  it("does not start where it cannot copy outputs to its folder", async () => {
    const blocked = start({ ...config, dataDir: import.meta.filename }, { log: silentLog });
    await expect(blocked).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it("fetches a picture from no address that is not public, also where a public one redirects to it", async () => {
    await using pictures = await startHttp(({ url, headers: { host = "" } }, response) => {
      // To Linux the same machine, and no address of EGRESS_ALLOW.
      const location = `http://${host.replace("127.0.0.1", "0.0.0.0")}/a.png`;
      if (url === "/moved") response.writeHead(302, { location }).end();
      else response.end(makeImage("png"));
    });
    const fetch = (path: string) =>
      clientOf("generation").fetchInput({ url: `${pictures.url}${path}` });
    expect(await fetch("/a.png")).toMatchObject({ contentType: "image/png" });
    await expect(fetch("/moved")).rejects.toThrow("no readable picture");
  });

  it("sends the webhook of an end at once, signed with the account's secret", async () => {
    await using receiver = await startReceiver();
    const video = { prompt: "p", duration: 5, aspectRatio: "16:9", webhookUrl: receiver.url };
    const input = { case: "video", value: video } as const;
    const event = finishedEvent({ mode: Mode.LIVE, input });
    await clientOf("generation").acceptEnd({ finished: event });
    await receiver.has(1);

    const { accountId = "" } = event.generation ?? {};
    const { secret } = await clientOf("gateway").getWebhookSecret({ accountId, mode: Mode.LIVE });
    const [request] = receiver.received;
    const headers = request?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(request?.body ?? "", headers)).toMatchObject({
      type: "video.generation.completed",
      data: { id: event.generation?.id, status: "success" },
    });
    expect(headers["webhook-id"]).toBe(event.eventId);
  });
});
