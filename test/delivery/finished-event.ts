/** A generation that has ended, as delivery is told of it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { type GenerationSchema, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { newAccountId } from "../support/account.ts";

const ORDER = { prompt: "ein Fluß, 川 and 🦊", duration: 5, aspectRatio: "16:9" };
const VIDEO = { contentType: "video/mp4", width: 1280, height: 720, duration: 5, bytes: 9n };

/** The end of a generation with a webhook; `change` says otherwise. */
export function finishedEvent(change: MessageInitShape<typeof GenerationSchema> = {}) {
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
      output: [{ key: "abc.mp4", ...VIDEO }],
      input: { case: "video", value: { ...ORDER, webhookUrl: "https://hooks.example:8443/a?b=c" } },
      createdAt: timestampFromDate(new Date("2026-11-21T11:59:00.000Z")),
      completedAt: timestampFromDate(new Date("2026-11-21T12:00:00.123Z")),
      ...change,
    },
  });
}
