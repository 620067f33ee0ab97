/** The generation service on a real database and a real ledger, with a scripted upstream and a manual clock. */
import { create } from "@bufbuild/protobuf";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  DeliveryService,
  type AcceptEndRequest,
  type StoreOutputRequest,
  type UseFilesRequest,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import { GenerationService, OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { createCallbacks } from "../../services/generation/domain/callback.ts";
import { accountDiscounts } from "../../services/generation/catalog/discounts.ts";
import { routes } from "../../services/generation/rpc-routes.ts";
import { createClaimWork, runTask } from "../../services/generation/worker/worker.ts";
import { openPool, testDatabases } from "./database.ts";
import { manualClock, type ManualClock } from "./manual-clock.ts";
import { billingRoutes } from "./billing-deps.ts";
import { generationDeps, NO_EVENTS } from "./generation-deps.ts";
import { memoryClient } from "./rpc.ts";
import { scriptedAnswers, scriptedProvider } from "./scripted-provider.ts";

/** The clock of tests that run at real speed. */
export const realClock: ManualClock = { ...systemClock, advance: () => {} };

const FILE = {
  key: "a.mp4",
  contentType: "video/mp4",
  width: 1280,
  height: 720,
  duration: 5,
  bytes: 9n,
};

type FetchedPicture = { content: Uint8Array; contentType: string };

const PICTURE: FetchedPicture = { content: Buffer.from("a picture"), contentType: "image/png" };

/** What a test may do when the service calls out: workers are not woken, and every picture is there. */
function scriptedHooks() {
  return {
    onWake: () => {},
    onUseFiles: (_request: UseFilesRequest): object => ({}),
    onFetchInput: async (_url: string, _signal: AbortSignal): Promise<FetchedPicture> => PICTURE,
  };
}

export type Harness = Awaited<ReturnType<typeof generationHarness>>;

/** Ahead of Postgres's own clock, which says until when a generation may be inserted. */
const START = "2126-01-01T00:00:00.000Z";

export async function generationHarness(clock: ManualClock = manualClock(START)) {
  const stack = new AsyncDisposableStack();
  const databases = stack.use(await testDatabases());
  const sql = stack.use(openPool(databases.urls.generation.url, 8));
  const billingSql = stack.use(openPool(databases.urls.billing.url, 8));
  const owner = stack.use(openPool(databases.urls.billing.ownerUrl, 2));
  const log = createLog("generation", "silent");
  const billing = memoryClient(BillingService, billingRoutes({ sql: billingSql, clock }));
  const provider = scriptedProvider();
  const records = {
    stored: [] as StoreOutputRequest[],
    /** The generations whose outputs were discarded. */
    discarded: [] as string[],
    /** The generations that delivery was asked to delete. */
    deleted: [] as string[],
    /** The generations whose webhooks delivery was asked to delete. */
    deletedWebhooks: [] as string[],
    /** The creates, each with its attempt, whose files were released. */
    releasedFiles: [] as string[],
    acceptedEnds: [] as AcceptEndRequest[],
    /** The URLs of pictures that delivery was asked for. */
    fetched: [] as string[],
    finished: [] as GenerationFinished[],
  };
  const noted = <Item>(list: Item[], ...items: Item[]) => {
    list.push(...items);
    return {};
  };
  const delivery = memoryClient(DeliveryService, ({ service }) => {
    service(DeliveryService, {
      storeOutput: (request) => {
        records.stored.push(request);
        return { output: request.sources.map(() => create(OutputSchema, FILE)) };
      },
      findOutput: ({ generationId }) => {
        const isStored = records.stored.some((request) => request.generationId === generationId);
        return { output: isStored ? [create(OutputSchema, FILE)] : [] };
      },
      discardOutput: ({ generationId }) => noted(records.discarded, generationId),
      deleteGeneration: ({ generationId }) => noted(records.deleted, generationId),
      deleteWebhooks: ({ generationIds }) => noted(records.deletedWebhooks, ...generationIds),
      useFiles: (request) => hooks.onUseFiles(request),
      releaseFiles: ({ generationId, attempt }) =>
        noted(records.releasedFiles, `${generationId} ${attempt}`),
      acceptEnd: (request) => noted(records.acceptedEnds, request),
      fetchInput: ({ url }, { signal }) => {
        records.fetched.push(url);
        return hooks.onFetchInput(url, signal);
      },
    });
  });
  const bus: Bus = {
    ...NO_EVENTS,
    publish: (event, message) => {
      if (event.subject.endsWith("finished")) records.finished.push(message as never);
    },
  };
  const hooks = scriptedHooks();
  const deps = generationDeps(
    { sql, clock, log, billing, delivery, provider },
    {
      bus,
      random: () => 0.5,
      discounts: accountDiscounts(billing, clock),
      callbacks: createCallbacks({ baseUrl: "https://media.test", secret: "s".repeat(32) }),
      accountConcurrency: 50,
      wake: () => hooks.onWake(),
    },
  );
  const client = memoryClient(GenerationService, routes(deps));
  const claim = createClaimWork(deps);

  /** Claims what is due and works on it until nothing is due any more. */
  const drain = async () => {
    let rows = await claim(100);
    while (rows.length > 0) {
      await Promise.all(rows.map((row) => runTask(deps, row, new AbortController().signal)));
      rows = await claim(100);
    }
  };

  return {
    deps,
    /** The databases, for worker processes of a test. */
    urls: databases.urls,
    sql,
    /** The role that owns billing's tables. */
    owner,
    clock,
    client,
    billing,
    provider,
    hooks,
    ...records,
    /** Claims up to that many rows as a worker does. */
    claim,
    drain,
    /** Removes what a test has scripted or recorded. */
    reset: () => {
      Object.assign(provider, scriptedAnswers());
      Object.assign(hooks, scriptedHooks());
      const { submitted, cancelled } = provider;
      for (const list of [submitted, cancelled, ...Object.values(records)]) list.length = 0;
    },
    /** Deletes every task, whatever its hold, and every pause, so that a later test is free of them. */
    endTasks: async () => {
      await sql`delete from generation.tasks`;
      await sql`delete from generation.pauses`;
    },
    /** A new account with that many live Tokens. */
    account: async (tokens: bigint) => {
      const accountId = randomId("acct");
      if (tokens > 0n) await billing.recharge({ accountId, mode: Mode.LIVE, tokens });
      return accountId;
    },
    /** Available and reserved live Tokens. */
    balance: async (accountId: string) => {
      const { balance } = await billing.getBalance({ accountId, mode: Mode.LIVE });
      return [balance?.available, balance?.reserved];
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
