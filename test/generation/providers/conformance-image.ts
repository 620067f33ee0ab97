/** Conformance of images that are made within one call. */
import { describe, expect, test } from "vitest";
import type { Imaged } from "../../../services/generation/providers/provider.ts";
import { RESULT, type FakeReply } from "../../support/fake-upstreams/fake-upstream.ts";
import {
  bytesOf,
  endOf,
  expectClientWords,
  jobWith,
  never,
  startProvider,
} from "./provider-under-test.ts";
import type { ImageSubject, Subject } from "./subject.ts";

export function imageConforms(subject: Subject) {
  for (const image of subject.image ? [subject.image] : []) {
    describe("images within the call", () => {
      imagesConform(subject, image);
    });
  }
}

function imagesConform(subject: Subject, { job: fields, refusals, ...image }: ImageSubject) {
  const job = jobWith({ width: 1024, height: 1024, aspectRatio: "1:1", ...fields, kind: "image" });

  const imaged = async (reply?: FakeReply | "drop"): Promise<Imaged | undefined> => {
    await using started = await startProvider(subject);
    if (reply) started.fake.once("image", { instead: reply });
    return await started.provider.image?.(job, never);
  };
  const failureOf = async (reply: FakeReply | "drop") => {
    const answer = await imaged(reply);
    if (answer?.kind !== "failed") throw new Error(`it was ${answer?.kind}`);
    expectClientWords(answer.failure);
    return answer.failure.code;
  };

  test("an image is made, byte for byte", async () => {
    await using started = await startProvider(subject);
    const answer = await started.provider.image?.(job, never);
    if (answer?.kind !== "succeeded") throw new Error(`it was ${answer?.kind}`);
    expect(answer.sources).toHaveLength(1);
    for (const source of answer.sources) expect(await bytesOf(source)).toEqual(RESULT);
  });

  test("as many images are made as are asked for, or the upstream is said to lack them", async () => {
    await using started = await startProvider(subject);
    const isCarried = started.provider.carries?.("image", job.parameters)["n"] !== undefined;
    const answer = isCarried
      ? await started.provider.image?.({ ...job, count: 3 }, never)
      : undefined;
    const made = answer?.kind === "succeeded" ? answer.sources.length : 0;
    expect(made).toBe(isCarried ? 3 : 0);
  });

  test.runIf(image.alsoSucceeds)("every documented shape of the answer is read", async () => {
    for (const { reply, content, url } of image.alsoSucceeds ?? []) {
      const source = content ? { content: Buffer.from(content) } : { url, configuredOrigin: false };
      const answer = await imaged(reply);
      if (answer?.kind !== "succeeded") throw new Error(`it was ${answer?.kind}`);
      expect(answer.sources[0]).toEqual(source);
    }
  });

  test("a wrong key, an unpaid bill and a rate limit are not the image's failure", async () => {
    await using started = await startProvider(subject);
    const wrong = started.providerWith({ key: "the-wrong-key" });
    expect(await wrong.image?.(job, never)).toMatchObject({ kind: "closed", fault: "auth" });
    expect(await imaged(refusals.billing)).toMatchObject({ kind: "closed", fault: "billing" });
    const rejection = { kind: "rejected", fault: "rate_limited" };
    expect(await imaged(refusals.rateLimited)).toEqual(rejection);
    const headers = { "retry-after": "3" };
    expect(await imaged({ ...refusals.rateLimited, headers })).toEqual({
      ...rejection,
      retryAfterMs: 3_000,
    });
  });

  test("refusals are the user's, in words that help", async () => {
    expect(await failureOf(refusals.content)).toBe("content_rejected");
    expect(await failureOf(refusals.input)).toBe("invalid_input");
  });

  test.runIf(image.contentRejected)("a refusal under status 200 is one, too", async () => {
    const reply = image.contentRejected ?? refusals.content;
    expect(await failureOf(reply)).toBe("content_rejected");
  });

  test("an upstream that breaks or answers without an image is upstream_failed", async () => {
    expect(await failureOf(refusals.broken)).toBe("upstream_failed");
    expect(await failureOf(image.empty)).toBe("upstream_failed");
    expect(await failureOf({ status: 200 })).toBe("upstream_failed");
    expect(await failureOf("drop")).toBe("upstream_failed");
  });

  test("a refused connection is a rejection: nothing was sent", async () => {
    const gone = await startProvider(subject);
    await gone[Symbol.asyncDispose]();
    const answer = await gone.provider.image?.(job, never);
    expect(answer).toEqual({ kind: "rejected", fault: "unavailable" });
  });

  test("an image that is not answered in time is upstream_timeout", async () => {
    await using started = await startProvider(subject);
    const gate = started.fake.hold("image");
    const answer = started.provider.image?.(job, never);
    await gate.arrived;
    started.clock.advance(10 * 60_000);
    expect(await answer).toMatchObject({ kind: "failed", failure: { code: "upstream_timeout" } });
    gate.release();
  });

  test("a call that we break off ourselves throws", async () => {
    await using started = await startProvider(subject);
    const gate = started.fake.hold("image");
    const stop = new AbortController();
    const end = endOf(Promise.resolve(started.provider.image?.(job, stop.signal)));
    await gate.arrived;
    stop.abort(new Error("stopping"));
    expect(await end).toContain("stopping");
    gate.release();
  });
}
