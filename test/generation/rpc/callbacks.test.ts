import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { createCallbacks } from "../../../services/generation/callbacks.ts";
import { jobOf } from "../../../services/generation/domain/job.ts";
import { findGeneration } from "../../../services/generation/store/generations.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
let accountId: string;
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  h.reset();
  accountId = await h.account(1_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

/** A video that was given to the upstream, and the address that the upstream was given for it. */
async function submitted(polled = true) {
  const { generation } = await h.client.createVideo({
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
    model: "beta-3.0-video",
    input: { prompt: "a cat" },
  });
  const generationId = generation?.id ?? "";
  let isFinished = false;
  if (polled) {
    h.provider.onPoll = () =>
      isFinished
        ? { kind: "succeeded", sources: [{ url: "http://u.test/f", configuredOrigin: true }] }
        : { kind: "running", pollAfterMs: 600_000 };
  }
  await h.drain();
  h.clock.advance(1_000);
  await h.drain();
  const row = async () => {
    const found = await findGeneration(h.sql, accountId, generationId);
    if (!found) throw new Error("no such row");
    return found;
  };
  const submitToken = (await row()).submit_token ?? "";
  const url = h.deps.callbacks.urlOf?.({ accountId, generationId, submitToken }) ?? "";
  return {
    row,
    url,
    token: url.split("/").at(-1) ?? "",
    finish: () => {
      isFinished = true;
    },
    status: async () => {
      const address = { accountId, mode: Mode.LIVE, kind: Kind.VIDEO, generationId };
      return (await h.client.getGeneration(address)).generation?.status;
    },
  };
}

const call = (token: string, said = "{}") =>
  h.client.receiveCallback({ token, headers: { "x-signed": "yes" }, body: Buffer.from(said) });

describe("a callback", () => {
  it("has its task polled at once, and believes nothing of what it says", async () => {
    const task = await submitted();
    const { upstream_id } = await task.row();
    h.provider.onCallback = () => upstream_id ?? "";
    await call(task.token, '{"status":"succeeded","output":"http://evil.test/x.mp4"}');
    await h.drain();
    expect(await task.status()).toBe(Status.PROCESSING);
    task.finish();
    let rings = 0;
    h.hooks.onRing = () => (rings += 1);
    await call(task.token);
    await h.drain();
    expect(await task.status()).toBe(Status.SUCCESS);
    expect(rings).toBe(1);
    expect(h.stored[0]?.sources).toMatchObject([{ from: { value: "http://u.test/f" } }]);
  });

  it("that comes twice, late or out of order changes nothing", async () => {
    const task = await submitted();
    const { upstream_id } = await task.row();
    h.provider.onCallback = () => upstream_id ?? "";
    task.finish();
    await Promise.all([call(task.token), call(task.token)]);
    await h.drain();
    const ended = await task.row();
    await call(task.token);
    await h.drain();
    expect(await task.row()).toEqual(ended);
    expect(h.stored).toHaveLength(1);
    expect(await h.balance(accountId)).toEqual([500n, 0n]);
  });

  it("that is badly signed, or about another job, does not even poll", async () => {
    const task = await submitted();
    task.finish();
    const before = await task.row();
    for (const said of [undefined, "another's job"]) {
      h.provider.onCallback = () => said;
      await call(task.token);
      await h.drain();
      expect(await task.row()).toEqual(before);
    }
  });

  it("tells the id of a job whose submit was not answered, so that it is not sent again", async () => {
    h.provider.onSubmit = () => ({ kind: "unknown" });
    h.provider.onFind = () => ({ kind: "unknown" });
    const task = await submitted();
    expect(await task.status()).toBe(Status.PENDING);
    h.provider.onCallback = () => "job-by-callback";
    await call(task.token);
    await h.drain();
    expect(await task.row()).toMatchObject({ step: "poll", upstream_id: "job-by-callback" });
    task.finish();
    await call(task.token);
    await h.drain();
    expect(await task.status()).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("cannot give one task the job of another", async () => {
    const first = await submitted();
    const { upstream_id } = await first.row();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    h.provider.onFind = () => ({ kind: "unknown" });
    const second = await submitted();
    h.provider.onCallback = () => upstream_id ?? "";
    const before = await second.row();
    await call(second.token);
    expect(await second.row()).toEqual(before);
    expect(before).toMatchObject({ step: "submit", upstream_id: null });
  });

  it("about a submit that came to nothing is not taken for the one after it", async () => {
    const task = await submitted();
    const { id, upstream_id } = await task.row();
    const urlOf = h.deps.callbacks.urlOf;
    const stale = urlOf?.({ accountId, generationId: id, submitToken: `${id}.0` }) ?? "";
    h.provider.onCallback = () => upstream_id ?? "";
    const before = await task.row();
    await call(stale.split("/").at(-1) ?? "");
    expect(await task.row()).toEqual(before);
  });

  it("at an address that we did not make is not found", async () => {
    const { token, row } = await submitted();
    const before = await row();
    const others = createCallbacks({ baseUrl: "https://media.test", secret: "x".repeat(32) });
    const { id, submit_token } = before;
    const called = { accountId, generationId: id, submitToken: submit_token ?? "" };
    const forged = others.urlOf?.(called).split("/").at(-1) ?? "";
    const [named = "", signed = ""] = token.split(".");
    for (const wrong of [forged, named, `${named}.`, `${named}x.${signed}`, `${token}.x`, "x"]) {
      const reason = await call(wrong).then(() => undefined, reasonOf);
      expect([wrong, reason]).toEqual([wrong, ErrorReason.NOT_FOUND]);
    }
    expect(await row()).toEqual(before);
  });
});

describe("the address", () => {
  it("goes with the job where the route's upstream calls back, and nowhere where callbacks are off", async () => {
    const { row, url } = await submitted();
    const sent = await row();
    const words = { upstreamModel: "m", parameters: {} };
    const urlOf = h.deps.callbacks.urlOf;
    const token = sent.submit_token ?? "";
    const job = jobOf(
      sent,
      token,
      h.deps.catalog,
      urlOf ? { ...words, callbackUrl: urlOf } : words,
    );
    expect(job.callbackUrl).toBe(url);
    expect(url).toMatch(/^https:\/\/media\.test\/callbacks\/[\w-]+\.[\w-]{22}$/);
    expect(jobOf(sent, token, h.deps.catalog, words)).not.toHaveProperty("callbackUrl");
    expect(createCallbacks(undefined).urlOf).toBeUndefined();
  });
});
