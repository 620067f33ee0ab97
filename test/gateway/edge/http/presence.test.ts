/** Clients that send or read slowly, or much at a time: the others are served. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { GetGenerationRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { BODY_MS } from "../../../../services/gateway/edge/http/body-time.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { useHarness } from "../../harness.ts";
import { headersOf, post } from "../../requests.ts";

/** One who comes alone may have as many requests present as then are left for others. */
const HALF = 1_000;
/** It stands still, so that bodies have as long as a busy machine needs to begin so many requests. */
const clock = manualClock();
const harness = useHarness({ clock });
const clients = new Set<Socket>();

afterEach(() => {
  for (const client of clients) client.destroy();
  clients.clear();
});

type Answers = { count: (status: number) => number };

/** So many at a time: more of one operation could not be taken on before their keys are read. */
const TOGETHER = 50;

/** Sends `request` on each of `count` connections, and counts the answers. */
async function begin(request: string, count = 1, localAddress = "127.0.0.1"): Promise<Answers> {
  const statuses: number[] = [];
  const { port } = new URL(harness.localUrl);
  for (let index = 0; index < count; index++) {
    if (index % TOGETHER === TOGETHER - 1) await harness.send("/healthz");
    const client = connect({ host: "127.0.0.1", port: Number(port), localAddress });
    clients.add(client);
    client.on("error", () => {});
    client.on("data", (text) => statuses.push(Number(String(text).slice(9, 12))));
    client.write(request);
  }
  return { count: (status) => statuses.filter((one) => one === status).length };
}

const head = (request: string, ...fields: string[]) =>
  [`${request} HTTP/1.1`, "Host: x", "Content-Type: application/json", ...fields, "", ""].join(
    "\r\n",
  );
const unfinished = (secret: string) =>
  head("POST /v1/videos/generations", `Authorization: Bearer ${secret}`, "Content-Length: 100");

async function unlimitedKey() {
  const key = await harness.newKey();
  await harness.accounts.setLimits({ accountId: key.accountId, createsPerMinute: 0 });
  return key;
}

describe("requests whose bodies do not come", () => {
  it("leave half of the places to other accounts, and of that half again half to a third", async () => {
    const [first, second] = [await unlimitedKey(), await unlimitedKey()];
    const ofFirst = await begin(unfinished(first.secret), HALF + 2);
    await expect.poll(() => ofFirst.count(503)).toBe(2);
    const ofSecond = await begin(unfinished(second.secret), HALF / 2 + 1);
    await expect.poll(() => ofSecond.count(503)).toBe(1);
    const body = { model: "beta-3.0-video", prompt: "a cat" };
    const created = await harness.send("/v1/videos/generations", post(harness.key.secret, body));
    expect(created.status).toBe(202);
    expect([ofFirst.count(503), ofSecond.count(503)]).toEqual([2, 1]);
  });

  it("leave half of the places to other addresses where nobody has signed in", async () => {
    const origin = `Origin: ${harness.url}`;
    const slow = head("POST /dashboard/api/auth/sign-in", origin, "Content-Length: 100");
    const ofOne = await begin(slow, HALF + 1);
    await expect.poll(() => ofOne.count(503)).toBe(1);
    const other = head("GET /v1/models", `Authorization: Bearer ${harness.key.secret}`);
    const ofOther = await begin(other, 1, "127.0.0.2");
    await expect.poll(() => ofOther.count(200)).toBe(1);
  });

  it("are answered at once where the operation has no body", async () => {
    const path = `/v1/videos/generations/${randomId("vgen")}`;
    const authorization = `Authorization: Bearer ${harness.key.secret}`;
    const deletes = await begin(head(`DELETE ${path}`, authorization, "Content-Length: 5"), 3);
    await expect.poll(() => deletes.count(204)).toBe(3);
    const chunked = await begin(
      head(`POST ${path}/cancel`, authorization, "Transfer-Encoding: chunked"),
    );
    await expect.poll(() => chunked.count(200)).toBe(1);
  });

  it("are told so after ten seconds", async () => {
    const slow = await begin(unfinished(harness.key.secret));
    const [client] = [...clients] as [Socket];
    const answer = once(client, "data");
    await expect
      .poll(() => {
        clock.advance(BODY_MS);
        return slow.count(400);
      })
      .toBe(1);
    expect(String(await answer)).toMatch(/^HTTP\/1.1 400 [^]*came too slowly/);
  });
});

it("closes a connection whose headers have not come whole after ten seconds", async () => {
  await begin("GET / HTTP/1.1\r\nHost: x\r\n");
  const [client] = [...clients] as [Socket];
  expect(String(await once(client, "data"))).toMatch(/^HTTP\/1.1 400 [^]*came too slowly/);
}, 60_000);

describe("requests of one connection", () => {
  it("are served one after another, so that others find places", async () => {
    const answered = Promise.withResolvers<void>();
    const { getGeneration } = harness.backends;
    harness.backends.getGeneration = (async (request: GetGenerationRequest) => {
      await answered.promise;
      return getGeneration(request);
    }) as never;
    const reads = Array.from({ length: 1_000 }, () =>
      head(
        `GET /v1/videos/generations/${randomId("vgen")}`,
        `Authorization: Bearer ${harness.key.secret}`,
      ),
    );
    await begin(reads.join(""));
    await expect.poll(() => harness.calls.length).toBe(1);
    const other = harness.send(`/v1/videos/generations/${randomId("vgen")}`, {
      headers: headersOf((await harness.newKey()).secret),
    });
    await expect.poll(() => harness.calls.length).toBe(2);
    answered.resolve();
    expect((await other).status).toBe(200);
    await expect.poll(() => harness.calls.length).toBe(1_001);
  });
});
