/** Accepting a generation's end: once per event id, and answered only after the commit. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { type GenerationSchema, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { newAccountId } from "../../support/account.ts";
import { eventViolations } from "../../support/answer-checks.ts";
import { refusalOf } from "../test-deps.ts";
import { webhookFixture } from "../webhook/webhook-fixture.ts";

const fixture = webhookFixture();

const WEBHOOK = "https://hooks.example/";

const accept = (event: Finished) => fixture.rpc.acceptEnd({ finished: event });

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

async function deliveriesOf(event: Finished) {
  const rows = await fixture.sql<{ body: Buffer; type: string; url: string; host: string }[]>`
    select d.id, d.mode, d.event_id, d.type, d.generation_id, d.url, d.host, d.body, d.status
    from delivery.webhook_deliveries d
    where d.account_id = ${event.generation?.accountId ?? ""}`;
  return rows.map((row) => ({ ...row }));
}

describe("the end of a generation", () => {
  it("with a webhook_url becomes one due delivery with the public object as its body, before the answer", async () => {
    const event = finished();
    await accept(event);
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
        status: "pending",
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
    expect(fixture.seen.wakes).toBe(1);
  });

  it("becomes one delivery however often it comes", async () => {
    const event = finished();
    await Promise.all([accept(event), accept(event), accept(event)]);
    await accept(event);
    expect(await deliveriesOf(event)).toHaveLength(1);
  });

  it("becomes no delivery without a webhook_url", async () => {
    const input = { prompt: "p", size: "1024x1024", promptExtend: true };
    const event = finished({ input: { case: "image", value: input } });
    await accept(event);
    expect([await deliveriesOf(event), fixture.seen.wakes]).toEqual([[], 0]);
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
      await accept(event);
      const type = `${kind}.generation.${end}`;
      const rows = await deliveriesOf(event);
      expect(rows.map((row) => row.type)).toEqual([type]);
      const body = rows[0]?.body.toString() ?? "";
      expect(JSON.parse(body)).toMatchObject({ type, data: { object: `${kind}.generation` } });
      expect(eventViolations(body)).toEqual([]);
    }
  });

  it("is refused while the database cannot be reached", async () => {
    await fixture.sql.end();
    await expect(accept(finished())).rejects.toThrow(ConnectError);
    expect(fixture.seen.wakes).toBe(0);
  });
});

describe("an end without a whole, finished generation", () => {
  it("is refused", async () => {
    for (const event of [
      finished({ status: Status.PROCESSING }),
      finished({ mode: Mode.UNSPECIFIED }),
      finished({ createdAt: undefined }),
      finished({ input: { case: "video", value: { prompt: "p", webhookUrl: WEBHOOK } } }),
      finished({ input: { case: "image", value: { prompt: "p", webhookUrl: WEBHOOK } } }),
      create(GenerationFinishedSchema, { eventId: randomId("evt") }),
      { ...finished(), eventId: "" },
    ]) {
      const { reason } = await refusalOf(accept(event));
      expect(reason).toBe(ErrorReason.INVALID_FIELD);
    }
  });
});

describe("GetWebhookSecret", () => {
  it("creates one secret per account and mode, even for concurrent calls, and always returns it", async () => {
    const { rpc, accountId } = fixture;
    const secretOf = async (mode: Mode) => (await rpc.getWebhookSecret({ accountId, mode })).secret;
    const answers = await Promise.all(Array.from({ length: 8 }, () => secretOf(Mode.LIVE)));
    expect(answers[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set([...answers, await secretOf(Mode.LIVE)]).size).toBe(1);
    expect(await secretOf(Mode.TEST)).not.toBe(answers[0]);
  });
});
