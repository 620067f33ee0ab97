/** Replicas of generation, each with a simulator of its own behind it, over one database. */
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { createClient, createRouterTransport, type Client } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService, OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { generateIdentity } from "#runtime/rpc/service-identity.ts";
import { start as startGeneration } from "../../services/generation/service.ts";
import { start as startSimulator } from "../../services/simulator/service.ts";
import { testDatabases } from "../support/database.ts";
import { simulatorConfig } from "../support/simulator-config.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { generationConfig } from "../support/service-configs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 60_000, interval: 100 };

type Replica = AsyncDisposable & { client: Client<typeof GenerationService> };

const stack = new AsyncDisposableStack();
let sql: Sql;
let startReplica: (paceMs: number) => Promise<Replica>;

beforeAll(async () => {
  const folder = stack.use(await temporaryFolder());
  const { urls } = stack.use(await testDatabases());
  const connect = (url: string) => {
    const connected = connectPostgres({ url, maxConnections: 4 }, "test");
    stack.defer(() => connected.end());
    return connected;
  };
  sql = connect(urls.generation.url);
  const log = createLog("test", "silent");
  const identity = await generateIdentity("generation");
  const gateway = await generateIdentity("gateway");
  const billing = billingPeer(connect(urls.billing.url));
  const delivery = fetchingDelivery();
  let replicas = 0;

  startReplica = async (paceMs) => {
    await using starting = new AsyncDisposableStack();
    const cache = join(folder.path, String(replicas++));
    const simulator = await startSimulator(simulatorConfig(cache, { paceMs }), { log });
    starting.use(simulator);
    const config = generationConfig({
      databaseUrl: urls.generation.url,
      identity: identity.privateKey,
      trusted: { keys: [identity.publicKey, gateway.publicKey] },
      simulatorUrl: simulator.url,
    });
    const peers = { billing: () => billing, delivery: () => delivery };
    const service = starting.use(await startGeneration(config, { log, peers }));
    const running = starting.move();
    return {
      client: createClient(GenerationService, service.directTransport("gateway")),
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  };
});

afterAll(() => stack.disposeAsync());

function billingPeer(sql: Sql) {
  const log = createLog("billing", "silent");
  return createRouterTransport(billingRoutes({ sql, clock: systemClock, log }));
}

/** A delivery that fetches every output from the simulator and keeps nothing. */
function fetchingDelivery() {
  return createRouterTransport(({ service }) => {
    service(DeliveryService, {
      storeOutput: async ({ sources }) => {
        const [source] = sources;
        const response = await fetch(source?.from.case === "url" ? source.from.value : "");
        const bytes = BigInt((await response.arrayBuffer()).byteLength);
        if (!response.ok) throw new Error(`the simulator answered ${response.status}`);
        const contentType = response.headers.get("content-type") ?? "";
        return { output: [create(OutputSchema, { key: "a.file", contentType, bytes })] };
      },
      discardOutput: () => ({}),
      acceptEnd: () => ({}),
    });
  });
}

const aTask = (kind: "vgen" | "igen", accountId: string) => ({
  accountId,
  mode: Mode.TEST,
  generationId: randomId(kind),
});

const createVideo = ({ client }: Replica, accountId: string) =>
  client.createVideo({
    ...aTask("vgen", accountId),
    model: "alpha-2.0",
    input: { prompt: `a cat, ${randomId("req")}` },
  });

const createImage = ({ client }: Replica, accountId: string) =>
  client.createImage({
    ...aTask("igen", accountId),
    model: "gamma-image-3.0-pro",
    input: { prompt: "a cat", size: "1024x1024" },
  });

const states = (accountId: string) =>
  sql<{ state: string }[]>`
    select distinct coalesce(error_code, status) as state
    from generation.generations where account_id = ${accountId}`.then((rows) =>
    rows.map(({ state }) => state),
  );

describe("replicas of generation and of the simulator", { timeout: 120_000 }, () => {
  it("bring test-mode videos and images made through any of them to success", async () => {
    await using one = await startReplica(300);
    await using other = await startReplica(300);
    const accountId = randomId("acct");
    const each = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? one : other));
    await Promise.all(each.map((replica) => createVideo(replica, accountId)));
    await Promise.all(each.map((replica) => createImage(replica, accountId)));
    await expect.poll(() => states(accountId), PATIENCE).toEqual(["success"]);
  });

  it("end what a replica that has gone submitted to a simulator that has gone with it", async () => {
    const accountId = randomId("acct");
    {
      await using gone = await startReplica(5_000);
      await Promise.all(Array.from({ length: 4 }, () => createVideo(gone, accountId)));
      const waiting = () => sql`
        select 1 from generation.tasks
        where account_id = ${accountId} and upstream_id is null`;
      await expect.poll(waiting, PATIENCE).toHaveLength(0);
    }
    await using _left = await startReplica(5_000);
    await expect.poll(() => states(accountId), PATIENCE).toEqual(["success"]);
  });
});
