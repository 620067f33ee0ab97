/** Accept: text/event-stream on retrieves. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { MAX_WAITING_PER_ACCOUNT } from "../../../../services/gateway/edge/waiting/waiting-requests.ts";
import { refusing } from "../../backends.ts";
import { useHarness, WITHOUT_EVENTS, type Key } from "../../harness.ts";
import { errorOf, headersOf, passTime } from "../../requests.ts";

// Without events only the look of the process finds a change.
const harness = useHarness(WITHOUT_EVENTS);
const { clock } = WITHOUT_EVENTS;

const ACCEPT = { accept: "text/event-stream" };
const path = (id: string) => `/v1/${id.startsWith("vgen") ? "videos" : "images"}/generations/${id}`;

/** Makes every generation have that state from now on. */
const setState = (status: Status, progress: number) => harness.answerAll({ status, progress });

/** A stream; `next` advances the clock to its next block, and resolves with undefined at its end. */
async function open(id: string, secret = harness.key.secret) {
  const stop = new AbortController();
  const response = await fetch(`${harness.url}${path(id)}`, {
    headers: headersOf(secret, ACCEPT),
    signal: stop.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    response,
    async next(): Promise<string | undefined> {
      while (!text.includes("\n\n")) {
        const chunk = await (reader && passTime(clock, reader.read()));
        if (!chunk || chunk.done) return undefined;
        text += chunk.value;
      }
      const [block = "", ...rest] = text.split("\n\n");
      text = rest.join("\n\n");
      return block;
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}

const stateOf = (block: string | undefined) => {
  const [event, data = ""] = (block ?? "").replace(/^retry: 3000\n/, "").split("\n");
  expect(event).toBe("event: generation");
  const { id, object, status, progress } = JSON.parse(data.slice("data: ".length));
  return { id, object, status, progress };
};

describe("a stream of a generation", () => {
  it.each([
    ["vgen", "video.generation"],
    ["igen", "image.generation"],
  ] as const)("sends the state, each change, and ends (%s)", async (kind, object) => {
    const id = randomId(kind);
    setState(Status.PROCESSING, 10);
    using stream = await open(id);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    const state = { id, object, status: "processing" };
    expect(stateOf(await stream.next())).toEqual({ ...state, progress: 10 });
    setState(Status.PROCESSING, 55);
    expect(stateOf(await stream.next())).toEqual({ ...state, progress: 55 });
    setState(Status.SUCCESS, 100);
    expect(stateOf(await stream.next())).toEqual({ ...state, status: "success", progress: 100 });
    expect(await stream.next()).toBeUndefined();
  });

  it("has the whole object, as the document has it, and ends at once for one that has ended", async () => {
    setState(Status.FAILED, 0);
    const id = randomId("vgen");
    const answer = await harness.get(path(id), ACCEPT);
    const [event] = (await answer.text()).split("\n\n");
    expect(event).toMatch(/^retry: 3000\n/);
    const plain = await harness.get(path(id));
    expect(JSON.parse(event?.split("data: ")[1] ?? "")).toEqual(await plain.json());
  });

  it("reads nothing while nothing changes: one look serves all, and a comment comes every 15 seconds", async () => {
    setState(Status.PROCESSING, 10);
    const streams = await Promise.all([1, 2, 3].map(() => open(randomId("vgen"))));
    for (const stream of streams) stateOf(await stream.next());
    // The first look tells each stream where its generation stands.
    for (const stream of streams) expect(await stream.next()).toBe(": waiting");
    const count = (name: "getGeneration" | "findEnded") => harness.requestsTo(name).length;
    const [reads, looks] = [count("getGeneration"), count("findEnded")];
    const startMs = clock.now().getTime();
    for (let comment = 0; comment < 2; comment += 1)
      for (const stream of streams) expect(await stream.next()).toBe(": waiting");
    const seconds = (clock.now().getTime() - startMs) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(28);
    expect(count("getGeneration")).toBe(reads);
    expect(count("findEnded") - looks).toBeLessThanOrEqual(Math.ceil(seconds));
    for (const stream of streams) stream[Symbol.dispose]();
  });

  it("sends no change after its key was revoked", async () => {
    setState(Status.PROCESSING, 10);
    const { secret, accountId } = await harness.newKey();
    using stream = await open(randomId("vgen"), secret);
    stateOf(await stream.next());
    const { keys } = await harness.accounts.listKeys({ accountId });
    await harness.accounts.revokeKey({ accountId, keyId: keys[0]?.id ?? "" });
    clock.advance(1_000);
    setState(Status.SUCCESS, 100);
    expect(await stream.next()).toBeUndefined();
  });

  it("counts as a waiting request until its client leaves; one too many is answered with the state", async () => {
    setState(Status.PROCESSING, 10);
    const key = await harness.newKey();
    const { secret } = key;
    const waitBy = ({ get }: Key) =>
      passTime(clock, get(path(randomId("vgen")), { prefer: "wait=1" }));
    const streams = await Promise.all(
      Array.from({ length: MAX_WAITING_PER_ACCOUNT }, () => open(randomId("vgen"), secret)),
    );
    using refused = await open(randomId("vgen"), secret);
    expect(stateOf(await refused.next())).toMatchObject({ progress: 10 });
    expect(await refused.next()).toBeUndefined();
    for (const [by, applied] of [
      [key, null],
      [harness.key, "wait=1"],
    ] as const)
      expect((await waitBy(by)).headers.get("preference-applied")).toBe(applied);
    for (const stream of streams) stream[Symbol.dispose]();
    setState(Status.PROCESSING, 20);
    const follows = async () => {
      using stream = await open(randomId("vgen"), secret);
      await stream.next();
      setState(Status.PROCESSING, 30);
      return (await stream.next()) !== undefined;
    };
    await expect.poll(follows).toBe(true);
  });

  it("ends when its generation is deleted", async () => {
    setState(Status.PROCESSING, 10);
    using stream = await open(randomId("vgen"));
    await stream.next();
    setState(Status.SUCCESS, 100);
    harness.backends.getGeneration = refusing("GENERATION_DELETED", "deleted");
    expect(await stream.next()).toBeUndefined();
  });

  it("has a comment every 15 seconds while reads fail, and then the end", async () => {
    setState(Status.PROCESSING, 10);
    using stream = await open(randomId("vgen"));
    await stream.next();
    setState(Status.SUCCESS, 100);
    const read = harness.backends.getGeneration;
    let failures = 0;
    harness.backends.getGeneration = () => {
      failures += 1;
      throw new Error("unavailable");
    };
    const startMs = clock.now().getTime();
    for (let comment = 0; comment < 2; comment += 1) expect(await stream.next()).toBe(": waiting");
    expect(clock.now().getTime() - startMs).toBeGreaterThanOrEqual(29_000);
    expect(failures).toBeGreaterThan(1);
    harness.backends.getGeneration = read;
    expect(stateOf(await stream.next())).toMatchObject({ status: "success" });
  });

  it("is an ordinary error where the generation does not exist, and ordinary JSON for HEAD and other types", async () => {
    harness.backends.getGeneration = refusing("NOT_FOUND", "not found");
    const get = (accept: string) => harness.get(path(randomId("vgen")), { accept });
    const absent = { status: 404, code: "generation_not_found" };
    expect(await errorOf(get("text/event-stream"))).toMatchObject(absent);
    setState(Status.SUCCESS, 100);
    const typeOf = async (sent: Promise<Response>) => (await sent).headers.get("content-type");
    expect(await typeOf(get("TEXT/EVENT-STREAM"))).toBe("text/event-stream");
    const headers = headersOf(harness.key.secret, ACCEPT);
    for (const other of [
      harness.send(path(randomId("vgen")), { headers, method: "HEAD" }),
      get("application/json, */*;q=0.1"),
      get("text/event-stream;q=0, */*"),
    ]) {
      expect(await typeOf(other)).toMatch(/^application\/json/);
    }
  });
});
