/** ReceiveCallback: a genuine callback makes its task due at once; nothing else in it is believed. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import {
  createCallbacks,
  type SubmitAddress,
} from "../../../services/generation/domain/callback.ts";
import { FINISHED, running } from "../../support/scripted-provider.ts";
import { refusalOf, useHarness } from "../fixture.ts";

const h = useHarness();

/** The token of the callback URL that an upstream is given. */
const tokenOf = (submit: SubmitAddress, { urlOf } = h.deps.callbacks) =>
  urlOf?.(submit).split("/").at(-1) ?? "";

/** A video that was submitted, and the callback URL that its upstream was given. */
async function submitted() {
  const video = await h.createVideo({ model: "beta-3.0-video" });
  const { accountId, generationId } = video;
  let isFinished = false;
  h.provider.onPoll = () => (isFinished ? FINISHED : running(600_000));
  await h.sendAndPoll();
  const row = () => h.deps.find(accountId, generationId);
  const { submitToken, upstreamId } = (await row()) ?? {};
  const submit = { accountId, generationId, submitToken: submitToken ?? "" };
  h.provider.onCallback = () => upstreamId ?? undefined;
  const finish = () => void (isFinished = true);
  return { ...video, row, submit, token: tokenOf(submit), upstreamId, finish };
}

const call = (token: string, body = "{}") =>
  h.client.receiveCallback({ token, headers: { "x-signed": "yes" }, body: Buffer.from(body) });

describe("a callback", () => {
  it("has its task polled at once, and nothing else in it is believed", async () => {
    const task = await submitted();
    await call(task.token, '{"status":"succeeded","output":"http://evil.test/x.mp4"}');
    await h.drain();
    expect(await task.status()).toBe(Status.PROCESSING);
    task.finish();
    let wakes = 0;
    h.hooks.onWake = () => (wakes += 1);
    await call(task.token);
    await h.drain();
    expect(await task.status()).toBe(Status.SUCCESS);
    expect(wakes).toBe(1);
    expect(h.stored[0]?.sources).toMatchObject([{ from: { value: "http://upstream.test/file" } }]);
  });

  it("that comes twice, late or out of order changes nothing", async () => {
    const task = await submitted();
    task.finish();
    await Promise.all([call(task.token), call(task.token)]);
    await h.drain();
    const ended = await task.row();
    await call(task.token);
    await h.drain();
    expect(await task.row()).toEqual(ended);
    expect(h.stored).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([500n, 0n]);
  });

  it("that is badly signed or about another job does not cause a poll", async () => {
    const task = await submitted();
    task.finish();
    const before = await task.row();
    for (const named of [undefined, "another's job"]) {
      h.provider.onCallback = () => named;
      await call(task.token);
      await h.drain();
      expect(await task.row()).toEqual(before);
    }
  });

  it("supplies the id of a job whose submit was not answered, so that it is not sent again", async () => {
    h.provider.onSubmit = () => ({ kind: "unknown" });
    const task = await submitted();
    expect(await task.status()).toBe(Status.PENDING);
    h.provider.onCallback = () => "job-by-callback";
    await call(task.token);
    await h.drain();
    expect(await task.row()).toMatchObject({ step: "poll", upstreamId: "job-by-callback" });
    task.finish();
    await call(task.token);
    await h.drain();
    expect(await task.status()).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("cannot give one task the job of another, nor has a cancel it stopped", async () => {
    const first = await submitted();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    const second = await submitted();
    h.provider.onCallback = () => first.upstreamId ?? "";
    const before = await second.row();
    await call(second.token);
    expect(await second.row()).toEqual(before);
    expect(before).toMatchObject({ step: "submit", upstreamId: null });
    h.provider.onFind = () => first.upstreamId ?? "";
    await second.cancel();
    await h.after(60_000);
    expect(h.provider.cancelled).toEqual([]);
  });

  it("about a deleted task brings no id of its job back", async () => {
    h.provider.onSubmit = () => ({ kind: "unknown" });
    const task = await submitted();
    await h.after(25 * 60_000);
    await task.remove();
    await h.drain();
    expect(await task.row()).toMatchObject({ step: "done", input: {} });
    h.provider.onCallback = () => "job of a deleted task";
    await call(task.token);
    const { task: shown } = await h.client.getTask(task.address);
    expect(shown).toMatchObject({ upstreamId: "" });
  });

  it("about an earlier submit of the task changes nothing", async () => {
    const task = await submitted();
    const before = await task.row();
    await call(tokenOf({ ...task.submit, submitToken: `${task.generationId}.0` }));
    expect(await task.row()).toEqual(before);
  });

  it("at a URL that this service did not sign is not found", async () => {
    const { token, row, submit } = await submitted();
    const before = await row();
    const others = createCallbacks({ baseUrl: "https://media.test", secret: "x".repeat(32) });
    const forged = tokenOf(submit, others);
    const [address = "", signature = ""] = token.split(".");
    const changed = [address, `${address}.`, `${address}x.${signature}`, `${token}.x`, "x"];
    for (const wrong of [forged, ...changed]) {
      expect([wrong, await refusalOf(call(wrong))]).toEqual([wrong, ErrorReason.NOT_FOUND]);
      const checked = refusalOf(h.client.checkCallback({ token: wrong }));
      expect([wrong, await checked]).toEqual([wrong, ErrorReason.NOT_FOUND]);
    }
    expect(await h.client.checkCallback({ token })).toBeDefined();
    expect(await row()).toEqual(before);
  });
});
