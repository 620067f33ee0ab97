import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  ImageInputSchema,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import {
  retryAfterOf,
  UpstreamError,
} from "../../../services/generation/providers/shared/outcome.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { fileOf, openedUpstreams } from "./upstreams-fixture.ts";

const job: Job = {
  token: "t",
  submittedAt: new Date(),
  kind: "video",
  mode: "live",
  model: "upstream-m",
  parameters: {},
  endUser: "u",
  prompt: "p",
  imageUrls: [],
  width: 1,
  height: 1,
  metadata: {},
};
const signal = new AbortController().signal;

type Opened = Awaited<ReturnType<typeof openedUpstreams>>;

const submitTo = (opened: Opened, name: string) =>
  opened.configured.byName(name)?.provider.submit(job, signal);

describe("an upstream's circuit", () => {
  it("opens after five failures in a row, lets one through as a trial, and closes when that works", async () => {
    const file = fileOf({ name: "r1" }, { name: "r2", credential: "c2", priority: 2 });
    await using opened = await openedUpstreams(file);
    const first = opened.first();
    first.onSubmit = () => ({ kind: "unknown" });
    for (let i = 0; i < 5; i++) {
      expect(opened.names()).toEqual(["r1", "r2"]);
      await submitTo(opened, "r1");
    }
    expect(opened.names()).toEqual(["r2"]);
    expect(await opened.isOn("CircuitOpen")).toBe(true);
    expect(opened.configured.isServed("live", "m")).toBe(true);
    expect(await submitTo(opened, "r1")).toEqual({ kind: "rejected", fault: "unavailable" });
    expect(first.submitted).toHaveLength(5);

    await opened.pass(10_000);
    expect(opened.names()).toEqual(["r1", "r2"]);
    let answer: (value: { kind: "unknown" }) => void = () => {};
    first.onSubmit = () => new Promise((resolve) => (answer = resolve));
    const trial = submitTo(opened, "r1");
    expect(opened.names()).toEqual(["r2"]);
    expect(await submitTo(opened, "r1")).toMatchObject({ kind: "rejected" });
    answer({ kind: "unknown" });
    await trial;
    expect(first.submitted).toHaveLength(6);
    await opened.pass(10_000);
    expect(opened.names()).toEqual(["r2"]);

    await opened.pass(10_000);
    first.onSubmit = ({ token }) => ({ kind: "accepted", upstreamId: token });
    expect(await submitTo(opened, "r1")).toMatchObject({ kind: "accepted" });
    expect(opened.names()).toEqual(["r1", "r2"]);
    expect(opened.gauges.at(-1)).toBe("r1:0");
    expect(await opened.isOn("CircuitOpen")).toBe(false);
  });

  it("stays closed where the upstream answers, be it by turning down", async () => {
    await using opened = await openedUpstreams(fileOf({ name: "r1" }));
    const first = opened.first();
    for (const fault of ["unavailable", "rate_limited"] as const) {
      first.onSubmit = () => ({ kind: "rejected", fault });
      for (let i = 0; i < 4; i++) await submitTo(opened, "r1");
    }
    first.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
    for (let i = 0; i < 4; i++) await submitTo(opened, "r1");
    expect(opened.names()).toEqual(["r1"]);
  });

  it("stays closed where the upstream waits for a customer's host, and closes if that was the trial", async () => {
    await using opened = await openedUpstreams(fileOf({ name: "r1" }));
    const first = opened.first();
    const withPicture = { ...job, imageUrls: ["https://slow.example/p.png"] };
    const submitPicture = () =>
      opened.configured.byName("r1")?.provider.submit(withPicture, signal);
    const imageOf = () => opened.configured.byName("r1")?.provider.image?.(withPicture, signal);
    first.onSubmit = () => ({ kind: "unknown" });
    first.onImage = () => Promise.reject(new Error("no answer in time"));
    for (let i = 0; i < 4; i++) await submitTo(opened, "r1");
    for (let i = 0; i < 6; i++) {
      expect(await submitPicture()).toEqual({ kind: "unknown" });
      await expect(imageOf()).rejects.toThrow("no answer in time");
    }
    expect(opened.names()).toEqual(["r1"]);
    // They are no success either: the fifth failure opens it.
    await submitTo(opened, "r1");
    expect(opened.names()).toEqual([]);
    await opened.pass(10_000);
    await submitPicture();
    expect(opened.names()).toEqual(["r1"]);
    // What was never sent is the upstream's failure, whatever the job.
    first.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
    for (let i = 0; i < 5; i++) await submitPicture();
    expect(opened.names()).toEqual([]);
  });
});

describe("an upstream that answers nothing", () => {
  it("is silent from its third call on, until it answers one or nobody calls it", async () => {
    await using opened = await openedUpstreams(fileOf({ name: "r1" }, { name: "r2" }));
    const first = opened.first();
    const poll = (name: string) =>
      opened.configured
        .byName(name)
        ?.provider.poll("job", signal)
        .catch(() => undefined);
    const isSilent = () => opened.isOn("UpstreamSilent");
    first.onPoll = () => Promise.reject(new Error("no answer"));
    for (const isOn of [false, false, true]) {
      await poll("r1");
      expect(await isSilent()).toBe(isOn);
    }
    // What was never sent, and a look-up that says nothing, are no answers either.
    await opened.configured.byName("r1")?.provider.find({ job, sentAt: new Date() }, signal);
    expect(await isSilent()).toBe(true);
    first.onPoll = () => FINISHED;
    await poll("r1");
    expect(await isSilent()).toBe(false);
    first.onSubmit = () => ({ kind: "unknown" });
    for (let i = 0; i < 3; i++) await submitTo(opened, "r2");
    expect(await isSilent()).toBe(true);
    await opened.pass(120_000);
    expect(await isSilent()).toBe(false);
  });
});

describe("a fault that operators have to mend", () => {
  const file = fileOf(
    { name: "r1" },
    { name: "r2" },
    { name: "r3", credential: "c2" },
    { name: "r4", credential: "c2" },
  );
  const close = (opened: Opened, name: string, fault: "auth" | "billing" | "config") => {
    const upstream = opened.configured.byName(name);
    if (upstream) opened.configured.suspend(upstream, { fault, detail: "told by it" });
  };

  it("of an account closes its upstreams, one of a model's configuration that upstream; each alerts once", async () => {
    await using opened = await openedUpstreams(file);
    close(opened, "r1", "billing");
    close(opened, "r2", "auth");
    close(opened, "r3", "config");
    expect(opened.names()).toEqual(["r4"]);
    expect(opened.logged).toMatchObject([
      { alert: true, level: "error", suspended: "credential c1", fault: "billing" },
      { alert: true, level: "error", suspended: "upstream r3", fault: "config" },
    ]);
    expect(opened.gauges).toEqual([1, 2]);
    expect(opened.configured.isServed("live", "m")).toBe(true);
  });

  it("is asked about each minute, and over when the upstream works", async () => {
    await using opened = await openedUpstreams(file);
    const first = opened.first();
    first.works = false;
    close(opened, "r1", "auth");
    for (let i = 0; i < 6; i++) await opened.pass(30_000);
    expect(first.checks).toBe(3);
    expect(opened.names().toSorted()).toEqual(["r3", "r4"]);
    expect(await opened.isOn("UpstreamSuspended")).toBe(true);
    first.works = true;
    for (let i = 0; i < 2; i++) await opened.pass(30_000);
    expect(opened.names()).toHaveLength(4);
    expect(await opened.isOn("UpstreamSuspended")).toBe(false);
    close(opened, "r1", "auth");
    for (let i = 0; i < 2; i++) await opened.pass(30_000);
    expect(opened.names()).toHaveLength(2);
    for (let i = 0; i < 2; i++) await opened.pass(30_000);
    expect(opened.names()).toHaveLength(4);
  });
});

describe("what every upstream of a model lacks", () => {
  it("is told with its field, and what one of them can serve is not lacking", async () => {
    const limited = { durations: [4, 6, 8], aspect_ratios: ["16:9"], max_pictures: 0 };
    await using opened = await openedUpstreams(
      fileOf({ name: "r1", capabilities: limited }, { name: "r2", priority: 2, disabled: true }),
    );
    const fieldOf = (fields: object, { configured } = opened) => {
      const asked = create(VideoInputSchema, { duration: 4, aspectRatio: "16:9", ...fields });
      return configured.lackOf("live", "m", asked)?.field;
    };
    expect(fieldOf({})).toBeUndefined();
    expect(fieldOf({ duration: 5 })).toBe("duration");
    expect(fieldOf({ aspectRatio: "1:1" })).toBe("aspect_ratio");
    expect(fieldOf({ imageUrl: "https://pictures.test/a.png" })).toBe("image_url");
    const both = fileOf({ name: "r1", capabilities: limited }, { name: "r2" });
    await using other = await openedUpstreams(both);
    expect(fieldOf({ duration: 5 }, other)).toBeUndefined();
  });

  it("is told of images, too", async () => {
    const capabilities = { sizes: ["1024x1024"], max_pictures: 1 };
    await using opened = await openedUpstreams(fileOf({ name: "r1", capabilities }));
    const fieldOf = (fields: object) =>
      opened.configured.lackOf("live", "m", create(ImageInputSchema, fields))?.field;
    expect(fieldOf({ size: "1024x1024", imageUrls: ["a"] })).toBeUndefined();
    expect(fieldOf({ size: "2048x2048" })).toBe("size");
    expect(fieldOf({ size: "1024x1024", imageUrls: ["a", "b"] })).toBe("image_urls");
  });
});

describe("the wait that an upstream asks for in answer to a poll", () => {
  it("holds back all polls of its account, and of no other", async () => {
    await using opened = await openedUpstreams(
      fileOf({ name: "r1" }, { name: "r2" }, { name: "r3", credential: "c2" }),
    );
    const answer = { status: 429, headers: {}, body: undefined, retryAfterMs: 30_000 };
    const polled: string[] = [];
    for (const upstream of opened.upstreams) {
      upstream.onPoll = (id) => {
        polled.push(id);
        return polled.length === 1 ? Promise.reject(new UpstreamError("a poll", answer)) : FINISHED;
      };
    }
    const poll = (upstream: string) =>
      opened.configured.byName(upstream)?.provider.poll(upstream, new AbortController().signal);
    const asked = (upstream: string) => Promise.resolve(poll(upstream)).catch(retryAfterOf);
    expect(await asked("r1")).toBe(30_000);
    opened.clock.advance(10_000);
    expect(await asked("r2")).toBe(20_000);
    expect(await asked("r3")).toEqual(FINISHED);
    opened.clock.advance(20_000);
    expect(await asked("r2")).toEqual(FINISHED);
    expect(polled).toEqual(["r1", "r3", "r2"]);
  });
});
