/**
 * What providers send for a job, beside what the vendors' SDKs sent for it when they were recorded: golden/<vendor>.json.
 * `differs` lists what we send on purpose (null: nothing), and why. What SDKs say of themselves was not recorded.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { arkProvider } from "../../../services/generation/providers/vendors/ark.ts";
import { dashscopeProvider } from "../../../services/generation/providers/vendors/dashscope.ts";
import { falProvider } from "../../../services/generation/providers/vendors/fal.ts";
import { geminiProvider } from "../../../services/generation/providers/vendors/gemini.ts";
import { openaiProvider } from "../../../services/generation/providers/vendors/openai.ts";
import type { Job, Provider } from "../../../services/generation/providers/provider.ts";
import { replicateProvider } from "../../../services/generation/providers/vendors/replicate.ts";
import { startArk } from "../../support/fake-upstreams/ark.ts";
import { startDashscope } from "../../support/fake-upstreams/dashscope.ts";
import type { FakeRequest } from "../../support/fake-upstreams/fake-upstream.ts";
import { startFalFake } from "../../support/fake-upstreams/fal.ts";
import { startGeminiFake } from "../../support/fake-upstreams/gemini.ts";
import { startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { startReplicateFake } from "../../support/fake-upstreams/replicate.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { accepted, jobWith, never } from "./provider-under-test.ts";

type Differences = Record<string, [ours: unknown, why: string]>;
type Golden = {
  headers: Record<string, string>;
  /** Of every submit. */
  differs?: Differences;
  jobs: Record<string, Partial<Job> & Pick<Job, "kind">>;
  requests: {
    call: "submit" | "image" | "poll" | "find" | "cancel" | "check";
    job: string;
    line: string;
    headers?: Record<string, string>;
    body?: object;
    differs?: Differences;
  }[];
  /** What a job is by each status that the SDK knows: its kind, or the code of its failure. */
  states?: Record<string, string>;
};

const VENDORS = {
  ark: [arkProvider, startArk],
  dashscope: [dashscopeProvider, startDashscope],
  fal: [falProvider, startFalFake],
  gemini: [geminiProvider, startGeminiFake],
  openai: [openaiProvider, startOpenaiFake],
  replicate: [replicateProvider, startReplicateFake],
} as const;

describe.each(Object.entries(VENDORS))(
  "%s is sent what its SDK sends",
  (vendor, [create, start]) => {
    const path = new URL(`golden/${vendor}.json`, import.meta.url);
    const golden = JSON.parse(readFileSync(path, "utf8")) as Golden;

    test.each(golden.requests)("$call of $job: $line", async (recorded) => {
      const clock = manualClock();
      await using fake = await start(clock);
      const provider: Provider = create({ baseUrl: fake.baseUrl, key: fake.key, clock });
      const fields = golden.jobs[recorded.job] ?? { kind: "video" };
      const picture = { content: Buffer.from("a picture"), contentType: "image/png" };
      const job = jobWith({ ...fields, pictures: (fields.imageUrls ?? []).map(() => picture) });
      const isMaking = recorded.call === "submit" || recorded.call === "image";
      const id = isMaking ? "" : await accepted(provider, job);
      const before = fake.requests.length;
      await {
        submit: () => provider.submit(job, never),
        image: async () => provider.image?.(job, never),
        poll: () => provider.poll(id, never),
        find: () => provider.find({ job, sentAt: clock.now() }, never),
        cancel: () => provider.cancel(id, never),
        check: () => provider.check(never),
      }[recorded.call]();
      const { line, headers, body } = recorded;
      const differs = {
        ...(recorded.call === "submit" ? golden.differs : {}),
        ...recorded.differs,
      };
      const type = body ? { "content-type": "application/json" } : {};
      const all = { ...golden.headers, ...type, ...headers };
      const expected: Record<string, unknown> = {
        line,
        ...flat(all, "header"),
        ...flat(body, "body"),
      };
      for (const [name, [value]] of Object.entries(differs)) expected[name] = value ?? undefined;
      expect(partsOf(id, fake.requests[before])).toEqual(expected);
    });

    test.runIf(golden.states)("every status that the SDK knows is understood", async () => {
      await using fake = await start(manualClock());
      const provider = create({ baseUrl: fake.baseUrl, key: fake.key, clock: manualClock() });
      const id = await accepted(provider, jobWith(golden.jobs["video"] ?? { kind: "video" }));
      const found: Record<string, string> = {};
      for (const status of Object.keys(golden.states ?? {})) {
        fake.says(id, { status });
        const polled = await provider.poll(id, never);
        found[status] = polled.kind === "failed" ? polled.failure.code : polled.kind;
      }
      expect(found).toEqual(golden.states);
    });
  },
);

/** Headers of HTTP itself, whose values say nothing of the job. */
const PLUMBING =
  /^(host|connection|content-length|accept(-encoding|-language)?|sec-fetch-mode|transfer-encoding|user-agent)$/;

/** Each part of a request by its name: "header.x" or "body.z.0". */
function partsOf(id: string, request?: FakeRequest): object {
  if (!request) throw new Error("nothing was sent");
  const { method, path, query, headers, json, form } = request;
  const sent = Object.entries(headers).filter(([name]) => !PLUMBING.test(name));
  const texts = sent.map(([name, value]) => [name, String(value).replace(/; ?boundary=.*/, "")]);
  const fields =
    form &&
    [...form].map(([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.type}, ${value.size} bytes`,
    ]);
  const search = query.size > 0 ? `?${decodeURIComponent(query.toString())}` : "";
  return {
    line: `${method} ${path.replace(id.split("/").at(-1) || "{id}", "{id}")}${search}`,
    ...flat(Object.fromEntries(texts), "header"),
    ...flat(fields ? Object.fromEntries(fields) : json, "body"),
  };
}

function flat(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null)
    return value === undefined ? {} : { [name]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) => flat(inner, `${name}.${key}`)),
  );
}
