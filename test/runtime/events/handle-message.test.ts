/** What becomes of a message of the stream, by what its handler says. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { JsMsg } from "nats";
import { expect, it } from "vitest";
import { GenerationCreatedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { handleMessage } from "#runtime/events/handle-message.ts";
import { createLog } from "#runtime/log.ts";

const log = createLog("test", "silent");

/** The answers to a message that comes for the `deliveryCount`-th time. */
async function answersTo(
  deliveryCount: number,
  fails: () => Promise<{ kind: "retry"; afterMs: number }>,
) {
  const answers: string[] = [];
  const message = {
    subject: "created",
    data: toBinary(GenerationCreatedSchema, create(GenerationCreatedSchema, {})),
    info: { deliveryCount },
    ack: () => answers.push("ack"),
    nak: (ms: number) => answers.push(`nak ${ms}`),
  } as unknown as JsMsg;
  await handleMessage(message, GenerationCreatedSchema, fails, log);
  return answers;
}

it.each([
  [1, "nak 7"],
  [4, "nak 7"],
  [5, "ack"],
  [6, "ack"],
])("whose handler fails for the %i. time is answered %s", async (deliveryCount, answer) => {
  const fails = async () => ({ kind: "retry", afterMs: 7 }) as const;
  expect(await answersTo(deliveryCount, fails)).toEqual([answer]);
});

it("whose handler throws is delivered again, and dropped like any other at last", async () => {
  const throws = () => Promise.reject(new Error("a fault"));
  expect(await answersTo(1, throws)).toEqual(["nak 5000"]);
  expect(await answersTo(5, throws)).toEqual(["ack"]);
});
