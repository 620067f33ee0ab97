/** More requests than a process can answer soon: those beyond its limit are refused soon, the others go on. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { MAX_OF_ONE } from "#runtime/load-limit.ts";
import { type Backends } from "../../backends.ts";
import { codeOf, useDashboard, type Member } from "../../dashboard/browser.ts";
import { errorOf, headersOf } from "../../requests.ts";

const { harness, newBrowser, newMember } = useDashboard();

/** Of a video that no other request asks for: reads of the same share one call. */
const videoPath = () => `/v1/videos/generations/${randomId("vgen")}`;

const create = (path: string, model: string) => harness.post(path, { model, prompt: "a cat" });
const allowed = <T>(one: () => T) => Array.from({ length: MAX_OF_ONE }, one);
const called = (method: keyof Backends, count = MAX_OF_ONE) =>
  expect.poll(() => harness.requestsTo(method).length).toBe(count);
const IMAGES = "/v1/images/generations";
const SUCCESS = new Set([200]);
const statusesOf = async (sent: Promise<Response>[]) =>
  new Set((await Promise.all(sent)).map(({ status }) => status));

const head = (request: string, length: number) =>
  `${request} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${harness.key.secret}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

async function open(text: string): Promise<Socket> {
  const client = connect(Number(new URL(harness.localUrl).port), "127.0.0.1");
  await once(client, "connect");
  client.write(text);
  return client;
}

describe("an account that has as many requests in progress as it may", () => {
  it("gets 503 with Retry-After for the next one soon, without asking anybody, while others are served", async () => {
    const answer = harness.hold("getGeneration");
    const inProgress = allowed(() => harness.get(videoPath()));
    await called("getGeneration");
    const refused = await harness.get(videoPath());
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ status: 503, code: "unavailable" });
    expect(harness.requestsTo("getGeneration")).toHaveLength(MAX_OF_ONE);
    const other = await harness.newKey();
    for (const path of ["/v1/models", "/healthz", "/readyz"])
      expect((await other.get(path)).status).toBe(200);
    answer();
    expect(await statusesOf(inProgress)).toEqual(SUCCESS);
    expect((await harness.get(videoPath())).status).toBe(200);
  });

  it("gains nothing by sending all on one connection", async () => {
    const answer = harness.hold("getGeneration");
    const heads = Array.from({ length: 500 }, () => head(`GET ${videoPath()}`, 0));
    const client = await open(heads.join(""));
    await called("getGeneration");
    const other = (await harness.newKey()).get(videoPath());
    await called("getGeneration", MAX_OF_ONE + 1);
    answer();
    expect((await other).status).toBe(200);
    client.destroy();
  });
});

it("a user of the dashboard leaves a quarter of what it has in progress to others, and is refused in its format", async () => {
  const answer = harness.hold("searchGenerations");
  const [user, other] = [await newMember(), await newMember("other@example.com")];
  const search = (by: Member) => by.send("GET", "/generations?mode=test&search=cat");
  const inProgress = allowed(() => search(user));
  await called("searchGenerations");
  const refused = await search(user);
  expect(codeOf(refused)).toEqual([503, "unavailable"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await newBrowser().signIn("other@example.com")).status).toBe(200);
  const found = search(other);
  await called("searchGenerations", MAX_OF_ONE + 1);
  answer();
  for (const { status } of await Promise.all([...inProgress, found])) expect(status).toBe(200);
});

describe("requests that only wait hold up no other of their account", () => {
  it.each([
    ["a cancel", "cancelGeneration", () => create(`${videoPath()}/cancel`, "")],
    ["the end of an image", "createImage", () => create(IMAGES, "alpha-2.0-image")],
  ] as const)("for %s", async (_what, method, one) => {
    harness.answerAll({ status: Status.PROCESSING });
    const answer = harness.hold("cancelGeneration");
    const all = allowed(one);
    await called(method);
    all.push(one());
    await called(method, MAX_OF_ONE + 1);
    answer();
    harness.answerAll({ status: Status.SUCCESS });
    expect(await statusesOf(all)).toEqual(SUCCESS);
  });

  it("for the end of a video, as they prefer", async () => {
    const gone = new AbortController();
    const path = videoPath();
    const headers = headersOf(harness.key.secret, { prefer: "wait=30" });
    const init = { headers, signal: gone.signal };
    const all = allowed(() => harness.send(path, init).catch(() => undefined));
    // Meanwhile the gateway also asks once a second which of them have ended.
    await called("getGeneration");
    expect((await harness.get(path)).status).toBe(200);
    gone.abort();
    await Promise.all(all);
  });

  it("for the rest of their bodies, which an operation without one does not wait for", async () => {
    const slow: Socket[] = [];
    for (let count = 0; count <= MAX_OF_ONE; count++)
      slow.push(await open(head("POST /v1/videos/generations", 100)));
    expect((await create("/v1/videos/generations", "beta-3.0-video")).status).toBe(202);
    const deleted = await open(head(`DELETE ${videoPath()}`, 5));
    expect(String((await once(deleted, "data"))[0])).toMatch(/^HTTP\/1.1 204 /);
    for (const client of [...slow, deleted]) client.destroy();
  });
});
