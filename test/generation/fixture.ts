/** The fixture of generation's tests: one service for each file, one account for each test, and its generations. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  DeliveryService,
  type AcceptEndRequest,
  type StoreOutputRequest,
  type UseFilesRequest,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import {
  GenerationService,
  Kind,
  OutputSchema,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { accountDiscounts } from "../../services/generation/catalog/discounts.ts";
import { createCallbacks } from "../../services/generation/domain/callback.ts";
import type { GenerationRow } from "../../services/generation/domain/generation.ts";
import { routes } from "../../services/generation/rpc-routes.ts";
import { createClaimWork, runTask } from "../../services/generation/worker/worker.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { billingRoutes } from "../support/billing-deps.ts";
import { openPool, testDatabases } from "../support/database.ts";
import { generationDeps, NO_EVENTS } from "../support/generation-deps.ts";
import { insertTasks } from "../support/insert-tasks.ts";
import { manualClock, type ManualClock } from "../support/manual-clock.ts";
import { memoryClient } from "../support/rpc.ts";
import {
  scriptedAnswers,
  scriptedProvider,
  type ScriptedUpstream,
  scriptedUpstreams,
  type ScriptedUpstreams,
} from "../support/scripted-provider.ts";

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

const PICTURE = { content: Buffer.from("a picture"), contentType: "image/png" };

/** What a test may do when the service calls out: workers are not woken, and every picture is there. */
function scriptedHooks() {
  return {
    onWake: () => {},
    onUseFiles: (_request: UseFilesRequest): object => ({}),
    onFetchInput: async (_url: string, _signal: AbortSignal) => PICTURE,
  };
}

type Harness = Awaited<ReturnType<typeof generationHarness>>;

/** Ahead of Postgres's own clock, which says until when a generation may be inserted. */
const START = "2126-01-01T00:00:00.000Z";

/** The service on a real database and a real ledger, with a scripted upstream and a manual clock. */
async function generationHarness(clock: ManualClock = manualClock(START)) {
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
  const hooks = scriptedHooks();
  const deps = generationDeps(
    { sql, clock, log, billing, delivery, provider },
    {
      bus: {
        ...NO_EVENTS,
        publish: ({ subject }, message) => {
          if (subject.endsWith("finished")) records.finished.push(message as never);
        },
      },
      random: () => 0.5,
      discounts: accountDiscounts(billing, clock),
      callbacks: createCallbacks({ baseUrl: "https://media.test", secret: "s".repeat(32) }),
      accountConcurrency: 50,
      wake: () => hooks.onWake(),
    },
  );
  const client = memoryClient(GenerationService, routes(deps));
  const claim = createClaimWork(deps);

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

/** `accountId`: the account of the current test. */
type Base = Harness & { accountId: string };

export type Fixture = Base & ReturnType<typeof actionsOf>;

/** Every test of the file begins with a fresh upstream, the original dependencies and an account that has `tokens`. */
export function useHarness({
  tokens = 1_000n,
  clock,
}: { tokens?: bigint; clock?: ManualClock } = {}): Fixture {
  const base = {} as Base;
  const h = Object.assign(base, actionsOf(base));
  let original = {} as Harness["deps"];
  let sleep: ManualClock["sleep"];
  beforeAll(async () => {
    Object.assign(h, await generationHarness(clock));
    original = { ...h.deps };
    sleep = h.clock.sleep.bind(h.clock);
  });
  beforeEach(async () => {
    h.reset();
    h.clock.sleep = sleep;
    Object.assign(h.deps, original, { upstreams: { ...original.upstreams } });
    h.accountId = await h.account(tokens);
  });
  afterAll(() => h[Symbol.asyncDispose]());
  return h;
}

type CreateOptions = { accountId?: string; generationId?: string; model?: string; input?: object };
type Replaceable = Pick<Harness["deps"], "billing" | "delivery" | "writes">;

/** What a test does with the harness. */
function actionsOf(h: Base) {
  /** Works on claimed rows, each until it has to wait. */
  const work = async (rows: readonly GenerationRow[], deps = h.deps): Promise<void> => {
    await Promise.all(rows.map((row) => runTask(deps, row, new AbortController().signal)));
  };

  /** Claims what is due and works on it until nothing is due any more. */
  const drain = async (): Promise<void> => {
    let rows = await h.claim(100);
    while (rows.length > 0) {
      await work(rows);
      rows = await h.claim(100);
    }
  };

  /** Advances the clock and works on everything that is due then. */
  const after = async (ms: number): Promise<void> => {
    h.clock.advance(ms);
    await drain();
  };

  /** Runs `call` while workers claim rows each time they are woken. */
  const withWorkers = async <T>(call: () => Promise<T>): Promise<T> => {
    const drained: Promise<void>[] = [];
    h.hooks.onWake = () => void drained.push(drain());
    try {
      return await call();
    } finally {
      await Promise.all(drained);
      h.hooks.onWake = () => {};
    }
  };

  /** A generation, and what its account may do with it. */
  const created = (kind: Kind, generationId: string, accountId = h.accountId) => {
    const name = { accountId, mode: Mode.LIVE, generationId };
    const address = { ...name, kind };
    const read = async () => (await h.client.getGeneration(address)).generation;
    return {
      ...name,
      address,
      read,
      status: async () => (await read())?.status,
      cancel: () => withWorkers(() => h.client.cancelGeneration(address)),
      remove: () => h.client.deleteGeneration(address),
    };
  };

  return {
    work,
    drain,
    after,
    withWorkers,
    /** Creates a video; alpha-2.0 costs 210 Tokens. */
    createVideo: async (options: CreateOptions = {}) => {
      const { accountId, generationId, model = "alpha-2.0", input = {} } = options;
      const made = created(Kind.VIDEO, generationId ?? randomId("vgen"), accountId);
      await h.client.createVideo({ ...made.address, model, input: { prompt: "a cat", ...input } });
      return made;
    },
    /** Creates an image, of 42 Tokens without references, and does not wait for it. */
    createImage: async (input: object = {}, more: object = {}) => {
      const made = created(Kind.IMAGE, randomId("igen"));
      const request = { ...made.address, model: "gamma-image-3.0-pro", ...more };
      await h.client.createImage({ ...request, input: { prompt: "a cat", ...input } });
      return made;
    },
    /** Inserts so many waiting videos of each account, without holds. */
    fillQueue: async (accounts: string | string[], count: number, model = "alpha-2.0-mini") => {
      await h.sql`
        insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt,
          status, created_at)
        select account_id, 'vgen_' || substr(md5(account_id || ${model} || n::text), 1, 26), 'video', 'live', ${model},
          '{"prompt":"a cat","duration":5,"aspect_ratio":"16:9"}', '{}', 1, 1, 'pending', ${h.clock.now()}
        from unnest(${[accounts].flat()}::text[]) account_id, generate_series(1, ${count}::int) n`;
      await insertTasks(h.sql, "queue", accounts);
    },
    /** What a worker claims that takes one task. */
    claimOne: async (): Promise<GenerationRow> => {
      const [row] = await h.claim(1);
      if (!row) throw new Error("nothing was claimed");
      return row;
    },
    /** The dependencies of a worker whose clock stands still, as that of a process does which is paused or dead. */
    paused: (): Harness["deps"] => ({ ...h.deps, clock: manualClock(h.clock.now().toISOString()) }),
    /** Sends what is queued, and polls it a second later. */
    sendAndPoll: async (): Promise<void> => {
      await drain();
      await after(1_000);
    },
    /** From now on a worker's pauses of these lengths pass at once, and are listed: no time runs ahead of its work. */
    passPauses: (...lengthsMs: readonly number[]): number[] => {
      const passedMs: number[] = [];
      const { clock } = h;
      const sleep = clock.sleep.bind(clock);
      clock.sleep = async (ms, signal) => {
        if (!lengthsMs.includes(ms)) return sleep(ms, signal);
        passedMs.push(ms);
        return clock.advance(ms);
      };
      return passedMs;
    },
    /** Replaces calls of a dependency, until the test ends or calls what is returned. */
    replace: <K extends keyof Replaceable>(
      part: K,
      calls: Partial<Replaceable[K]>,
    ): (() => void) => {
      const original = h.deps[part];
      h.deps[part] = { ...original, ...calls };
      return () => void (h.deps[part] = original);
    },
  };
}

/** For each test these are the only upstreams, best first, with the providers that they began with; and no task is left. */
export function useUpstreams(h: Fixture, ...upstreams: ScriptedUpstream[]): ScriptedUpstreams {
  const scripted = scriptedUpstreams(...upstreams);
  const providers = upstreams.map(({ provider }) => ({ ...provider }));
  beforeEach(async () => {
    await h.endTasks();
    for (const [index, { provider }] of upstreams.entries()) {
      // A test may have set it of a provider that began without it.
      delete provider.takesBytes;
      Object.assign(provider, providers[index], { submitted: [], cancelled: [] });
    }
    h.deps.upstreams = Object.assign(scripted, { availableUpstreams: upstreams });
  });
  return scripted;
}

export function videoRequest(accountId: string, generationId = randomId("vgen")) {
  return {
    accountId,
    mode: Mode.LIVE,
    generationId,
    model: "beta-3.0-video",
    input: { prompt: "a cat in the rain" },
  };
}

export const failedWith = (code: string) => ({ status: Status.FAILED, error: { code } });

/** A call that is not answered before the test answers it. */
export function pendingCall<T = never>() {
  const [made, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<T>()];
  const call = () => {
    made.resolve();
    return answered.promise;
  };
  return { call, made: made.promise, answer: answered.resolve, fail: answered.reject };
}

/** For calls of a service that is down. */
export const isDown = () => Promise.reject(new ConnectError("no connection", Code.Unavailable));

/** The reason for which a call was refused; undefined if it was not. */
export const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, reasonOf);
