/** Accepting a generation's end: by event and by RPC, once per event id, and confirmed only after the commit. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import {
  type GenerationSchema,
  GenerationService,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { generationFinished } from "../../../services/delivery/consumers/generation-finished.ts";
import { routes } from "../../../services/delivery/rpc-routes.ts";
import { newAccountId } from "../../support/account.ts";
import { eventViolations } from "../../support/answer-checks.ts";
import { testDatabase } from "../../support/database.ts";
import { memoryClient } from "../../support/rpc.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { testDeps } from "../test-deps.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
let sql: Sql;

beforeAll(async () => {
  database = await testDatabase("delivery");
  sql = connectPostgres({ url: database.url, maxConnections: 4 }, "test");
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await database[Symbol.asyncDispose]();
});

type Confirmation = { accountId: string; generationId: string };

/** Handlers over a generation service that has ends and records confirmations, or refuses both while `isDown`. */
function setUp(
  set: { sql?: Sql; whileConfirming?: (confirmation: Confirmation) => Promise<void> } = {},
) {
  const seen = { confirmed: [] as string[], wakes: 0, isDown: false };
  const ended = new Map<string, Finished["generation"]>();
  const generation = memoryClient(GenerationService, (router) =>
    router.service(GenerationService, {
      confirmAccepted: async ({ accountId, generationId }) => {
        if (seen.isDown) throw new ConnectError("down", Code.Unavailable);
        await set.whileConfirming?.({ accountId, generationId });
        seen.confirmed.push(generationId);
        return {};
      },
      getEnd: ({ generationId }) => {
        if (seen.isDown) throw new ConnectError("down", Code.Unavailable);
        const generation = ended.get(generationId);
        return generation ? { generation } : {};
      },
    }),
  );
  const deps = testDeps({
    sql: set.sql ?? sql,
    clock: manualClock("2026-11-21T12:00:00.000Z"),
    generation,
    allowAddress: parseCidrs(["127.0.0.0/8"]),
    wakeSender: () => (seen.wakes += 1),
  });
  const consumeMessage = generationFinished(deps);
  return {
    seen,
    consumeMessage,
    /** The message of the stream, which names the end; generation has the rest. */
    consume: (event: Finished) => {
      const { id = "" } = event.generation ?? {};
      ended.set(id, event.generation);
      return consumeMessage(messageOf(event));
    },
    rpc: memoryClient(DeliveryService, routes(deps)),
  };
}

function finished(change: MessageInitShape<typeof GenerationSchema> = {}) {
  return create(GenerationFinishedSchema, {
    eventId: randomId("evt"),
    generation: {
      id: randomId("vgen"),
      accountId: newAccountId(),
      mode: Mode.TEST,
      status: Status.SUCCESS,
      model: "alpha-2.0",
      credits: 210n,
      progress: 100,
      output: [
        {
          key: "abc.mp4",
          contentType: "video/mp4",
          width: 1280,
          height: 720,
          duration: 5,
          bytes: 9n,
        },
      ],
      input: {
        case: "video",
        value: {
          prompt: "ein Fluß, 川 and 🦊",
          duration: 5,
          aspectRatio: "16:9",
          webhookUrl: "https://hooks.example:8443/a?b=c",
          metadata: {},
        },
      },
      createdAt: timestampFromDate(new Date("2026-11-21T11:59:00.000Z")),
      completedAt: timestampFromDate(new Date("2026-11-21T12:00:00.123Z")),
      ...change,
    },
  });
}

function imageWith(webhookUrl: string): MessageInitShape<typeof GenerationSchema> {
  const input = { prompt: "a cat", size: "1024x1024", promptExtend: true, webhookUrl };
  return { id: randomId("igen"), input: { case: "image", value: input } };
}

type Finished = ReturnType<typeof finished>;

function messageOf({ eventId, generation }: Finished): Finished {
  const { id = "", accountId = "", status = Status.UNSPECIFIED, input } = generation ?? {};
  const hasWebhook = input?.value?.webhookUrl !== undefined;
  return create(GenerationFinishedSchema, {
    eventId,
    generation: { id, accountId, status },
    hasWebhook,
  });
}

async function deliveriesOf(event: Finished) {
  const rows = await sql<{ body: Buffer; type: string; url: string; host: string }[]>`
    select d.id, d.mode, d.event_id, d.type, d.generation_id, d.url, d.host, d.body, q.ready
    from delivery.webhook_deliveries d
    left join delivery.webhook_queue q on q.account_id = d.account_id and q.delivery_id = d.id
    where d.account_id = ${event.generation?.accountId ?? ""}`;
  return rows.map((row) => ({ ...row }));
}

describe("the end of a generation with a webhook_url", () => {
  it("becomes one due delivery with the public object as its body, and is confirmed", async () => {
    const { seen, consume } = setUp();
    const event = finished();
    expect(await consume(event)).toEqual({ kind: "done" });
    const rows = await deliveriesOf(event);
    expect(rows).toMatchObject([
      {
        id: expect.stringMatching(/^whd_[0-9a-z]{26}$/) as string,
        mode: "test",
        eventId: event.eventId,
        type: "video.generation.completed",
        generationId: event.generation?.id,
        url: "https://hooks.example:8443/a?b=c",
        host: "hooks.example:8443",
        ready: true,
      },
    ]);
    const body: unknown = JSON.parse(rows[0]?.body.toString("utf8") ?? "");
    expect(body).toMatchObject({
      type: "video.generation.completed",
      timestamp: "2026-11-21T12:00:00.123Z",
      data: {
        id: event.generation?.id,
        object: "video.generation",
        status: "success",
        output: [{ url: "https://media.example/assets/abc.mp4" }],
        input: { prompt: "ein Fluß, 川 and 🦊" },
      },
    });
    expect(Object.keys(body as object)).toEqual(["type", "timestamp", "data"]);
    expect(seen).toMatchObject({ confirmed: [event.generation?.id], wakes: 1 });
  });

  it("becomes one delivery however often it comes, by event or RPC", async () => {
    const { seen, consume, rpc } = setUp();
    const event = finished();
    await Promise.all([consume(event), consume(event), rpc.acceptEnd({ finished: event })]);
    await consume(event);
    await rpc.acceptEnd({ finished: event });
    expect(await deliveriesOf(event)).toHaveLength(1);
    expect(seen.confirmed).toHaveLength(5);
  });

  it("is read again where generation did not answer", async () => {
    const { seen, consume } = setUp();
    const event = finished();
    seen.isDown = true;
    expect(await consume(event)).toMatchObject({ kind: "retry" });
    expect(await deliveriesOf(event)).toEqual([]);
    seen.isDown = false;
    expect(await consume(event)).toEqual({ kind: "done" });
    expect(await deliveriesOf(event)).toHaveLength(1);
  });

  it("becomes no delivery if the generation was deleted before it was read", async () => {
    const { seen, consumeMessage } = setUp();
    const event = finished();
    expect(await consumeMessage(messageOf(event))).toEqual({ kind: "done" });
    expect([await deliveriesOf(event), seen.confirmed]).toEqual([[], []]);
  });

  it.each([
    [Status.SUCCESS, "completed"],
    [Status.FAILED, "failed"],
    [Status.CANCELED, "canceled"],
  ] as const)("with status %d becomes an event of its kind that is %s", async (status, end) => {
    for (const [kind, change] of [
      ["video", {}],
      ["image", imageWith("https://hooks.example/")],
    ] as const) {
      const event = finished({ ...change, status, output: [] });
      await setUp().consume(event);
      const type = `${kind}.generation.${end}`;
      const rows = await deliveriesOf(event);
      expect(rows.map((row) => row.type)).toEqual([type]);
      const body = rows[0]?.body.toString() ?? "";
      expect(JSON.parse(body)).toMatchObject({ type, data: { object: `${kind}.generation` } });
      expect(eventViolations(body)).toEqual([]);
    }
  });

  it("is retried if the confirmation failed, and still becomes one delivery", async () => {
    const { seen, consume, rpc } = setUp();
    const event = finished();
    seen.isDown = true;
    expect(await consume(event)).toMatchObject({ kind: "retry" });
    const refused = await rpc.acceptEnd({ finished: event }).catch((error: unknown) => error);
    expect(reasonOf(refused)).toBe(ErrorReason.UNAVAILABLE);
    seen.isDown = false;
    expect(await consume(event)).toEqual({ kind: "done" });
    expect(await deliveriesOf(event)).toHaveLength(1);
    expect(seen.confirmed).toHaveLength(1);
  });

  it.each(["event", "RPC"] as const)(
    "told by %s is confirmed only after its delivery is committed",
    async (way) => {
      const event = finished();
      const committed: number[] = [];
      const { seen, consume, rpc } = setUp({
        // Read outside any transaction of the handler: only what is committed is seen.
        whileConfirming: async () => void committed.push((await deliveriesOf(event)).length),
      });
      await (way === "event" ? consume(event) : rpc.acceptEnd({ finished: event }));
      expect(committed).toEqual([1]);
      expect(seen.confirmed).toEqual([event.generation?.id]);
    },
  );

  it("is not confirmed while the database cannot be reached", async () => {
    const ended = connectPostgres({ url: database.url, maxConnections: 1 }, "test");
    await ended.end();
    const { seen, consume, rpc } = setUp({ sql: ended });
    const event = finished();
    expect(await consume(event)).toMatchObject({ kind: "retry" });
    const refused = await rpc.acceptEnd({ finished: event }).catch((error: unknown) => error);
    expect(reasonOf(refused)).toBe(ErrorReason.UNAVAILABLE);
    expect(seen).toMatchObject({ confirmed: [], wakes: 0 });
  });
});

describe("the end of a generation without a webhook_url", () => {
  it("becomes no delivery, and asks nothing of generation", async () => {
    const { seen, consume } = setUp();
    seen.isDown = true;
    const input = {
      case: "video",
      value: { prompt: "p", duration: 5, aspectRatio: "16:9" },
    } as const;
    const event = finished({ input });
    const image = finished({ input: { case: "image", value: { prompt: "p" } } });
    expect(await consume(event)).toEqual({ kind: "done" });
    expect(await consume(image)).toEqual({ kind: "done" });
    expect([...(await deliveriesOf(event)), ...(await deliveriesOf(image))]).toEqual([]);
    expect(seen.confirmed).toEqual([]);
  });
});

describe("an event without a finished generation", () => {
  it("is dropped by the consumer and refused by the RPC", async () => {
    const { seen, consume, consumeMessage, rpc } = setUp();
    for (const event of [
      finished({ status: Status.PROCESSING }),
      create(GenerationFinishedSchema, { eventId: randomId("evt") }),
      { ...finished(), eventId: "" },
    ]) {
      expect(await consumeMessage(event)).toMatchObject({ kind: "drop" });
      expect(await consume(event)).toMatchObject({ kind: "drop" });
      const refused = await rpc.acceptEnd({ finished: event }).catch((error: unknown) => error);
      expect(reasonOf(refused)).toBe(ErrorReason.INVALID_FIELD);
    }
    expect(seen.confirmed).toEqual([]);
  });
});

describe("GetWebhookSecret", () => {
  it("creates one secret per account and mode, even for concurrent calls, and always returns it", async () => {
    const { rpc } = setUp();
    const accountId = newAccountId();
    const secretOf = async (mode: Mode) => (await rpc.getWebhookSecret({ accountId, mode })).secret;
    const answers = await Promise.all(Array.from({ length: 8 }, () => secretOf(Mode.LIVE)));
    expect(answers[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set([...answers, await secretOf(Mode.LIVE)]).size).toBe(1);
    expect(await secretOf(Mode.TEST)).not.toBe(answers[0]);
  });
});
