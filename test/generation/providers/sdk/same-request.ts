/** Compares an adapter with the vendor's SDK: the request for the same job, and the statuses that the SDK knows. */
import { expect } from "vitest";
import type { Provider } from "../../../../services/generation/providers/provider.ts";
import type { FakeRequest, FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { never } from "../adapter-under-test.ts";

/** Where the two differ on purpose, e.g. "body.watermark", and the reason. */
export type Differences = Readonly<Record<string, string>>;

/** Headers of HTTP itself, whose values say nothing of the job. */
const PLUMBING =
  /^(host|connection|content-length|accept(-encoding|-language)?|sec-fetch-mode|transfer-encoding|user-agent)$/;

/**
 * Both are sent to the fake, one after the other. Method, path, query, headers and body are the same, but for exactly the
 * listed differences: one that is not there any more has to leave the list.
 */
export async function expectSameRequest(
  fake: FakeUpstream,
  differences: Differences,
  calls: { ours: () => PromiseLike<unknown>; sdk: () => PromiseLike<unknown> },
): Promise<void> {
  const [ours, sdk] = [await sentBy(fake, calls.ours), await sentBy(fake, calls.sdk)];
  const names = new Set([...Object.keys(ours), ...Object.keys(sdk)]);
  const differing = [...names].filter((name) => ours[name] !== sdk[name]);
  const found = Object.fromEntries(
    differing.map((name) => [name, `ours: ${ours[name]}, the SDK's: ${sdk[name]}`]),
  );
  const unlisted = Object.entries(found).filter(([name]) => !Object.hasOwn(differences, name));
  expect(Object.fromEntries(unlisted)).toEqual({});
  expect(Object.keys(differences).filter((name) => !Object.hasOwn(found, name))).toEqual([]);
}

/** What a poll says after each status: its kind, or why the job failed. */
export async function expectStates(
  { fake, adapter, upstreamId }: { fake: FakeUpstream; adapter: Provider; upstreamId: string },
  states: Record<string, string>,
): Promise<void> {
  const told: Record<string, string> = {};
  for (const status of Object.keys(states)) {
    fake.says(upstreamId, { status });
    const polled = await adapter.poll(upstreamId, never);
    told[status] = polled.kind === "failed" ? polled.failure.code : polled.kind;
  }
  expect(told).toEqual(states);
}

async function sentBy(fake: FakeUpstream, call: () => PromiseLike<unknown>) {
  const before = fake.requests.length;
  await call();
  const request = fake.requests[before];
  if (!request) throw new Error("nothing was sent");
  return partsOf(request);
}

/** Each part of a request by its name: "header.x", "query.y" or "body.z.0". */
function partsOf({ method, path, query, headers, json, form }: FakeRequest) {
  const parts: Record<string, string> = { method, path };
  for (const [name, value] of query) parts[`query.${name}`] = value;
  for (const [name, value] of Object.entries(headers)) {
    const [type] = String(value).split(";");
    if (!PLUMBING.test(name))
      parts[`header.${name}`] = name === "content-type" ? (type ?? "") : String(value);
  }
  parts["header.user-agent"] = headers["user-agent"] ? "some" : "none";
  const flatten = (value: unknown, name: string) => {
    if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) flatten(inner, `${name}.${key}`);
    } else parts[name] = JSON.stringify(value);
  };
  flatten(json, "body");
  for (const name of new Set(form?.keys())) {
    const told = form?.getAll(name).map((value) => {
      return value instanceof File ? `${value.type}, ${value.size} bytes` : JSON.stringify(value);
    });
    parts[`body.${name}`] = (told ?? []).join();
  }
  return parts;
}
