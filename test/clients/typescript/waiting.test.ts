/** Waiting for generations, watching them and reading lists, on a fake service. */
import { ArgumentError, WaitStoppedError, type Fetch } from "../../../clients/typescript/index.ts";
import { fakeService, ok, refusal } from "./fake-service.ts";

describe("a wait that is cut short", () => {
  const id = "igen_1";
  const request = { model: "an-id-of-tomorrow", prompt: "a cat" };
  const created = ok({ id, status: "pending", progress: 0, output: [] });
  const goOn = `Wait again with client.images.wait("${id}").`;

  it.each([
    ["TimeoutError", undefined],
    ["AbortError", undefined],
    ["Enough", Object.assign(new Error("enough"), { name: "Enough" })],
  ])("throws an error named %s, as the reason is, which has the id", async (name, reason) => {
    const stop = new AbortController();
    const { client } = fakeService([created]);
    const thrown = await client.images
      .createAndWait(request, {
        signal: stop.signal,
        onProgress: () => stop.abort(reason ?? new DOMException("stopped", name)),
      })
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(WaitStoppedError);
    expect(thrown).toMatchObject({ name, generationId: id, cause: stop.signal.reason as Error });
    expect(String(thrown)).toBe(
      `${name}: The wait for ${id} was stopped; the generation goes on. ${goOn}`,
    );
  });

  it.each(["onProgress", "onRequest"])("names the id where %s throws", async (name) => {
    const cause = new RangeError("mine");
    const onProgress = () => {
      throw cause;
    };
    const onRequest = ({ method }: { method: string }) => method === "GET" && onProgress();
    const isProgress = name === "onProgress";
    const { client } = fakeService([created], isProgress ? {} : { onRequest });
    const options = isProgress ? { onProgress } : {};
    const creating = client.images.createAndWait(request, options);
    await expect(creating).rejects.toBeInstanceOf(WaitStoppedError);
    await expect(creating).rejects.toThrow(
      `The wait for ${id} was stopped by an error of yours, RangeError: mine; `,
    );
    await expect(creating).rejects.toMatchObject({ name: "RangeError", generationId: id, cause });
    await expect(client.images.wait(id, options)).rejects.toBe(cause);
  });

  it.each([
    [{ waitMs: "600" }, 'waitMs takes a number from 0 to 2147483647, not "600".'],
    [{ waitMs: 2 ** 31 }, "waitMs takes a number from 0 to 2147483647, not 2147483648."],
    [{ pollMs: Number.NaN }, "pollMs takes a number from 0 to 2147483647, not NaN."],
    [{ timeoutMs: null }, "timeoutMs takes a number from 0 to 2147483647, not null."],
    [{ idempotencyKey: "a\n" }, "idempotencyKey takes printable ASCII characters only, not "],
    [{ maxAttempts: 1.5 }, "maxAttempts takes a whole number, not 1.5."],
    [{ maxAttempts: 0 }, "maxAttempts takes a number from 1 to Infinity, not 0."],
    [{ signal: "x" }, 'signal takes an AbortSignal, not "x".'],
    [{ onProgress: "a" }, 'onProgress takes a function, not "a".'],
    [{ waitSeconds: 5 }, "There is no option waitSeconds. There are idempotencyKey, "],
  ])("sends nothing with the option %o, which is none", async (option, said) => {
    const { client, requests } = fakeService([created]);
    const { download, images, models } = client;
    const calls: (() => PromiseLike<unknown>)[] = [
      () => images.createAndWait(request, option as never),
      () => images.wait(id, option as never),
      () => images.retrieve(id, option as never),
      () => models.list(option as never),
      () => download({ url: "https://files.example.com/1.png" }, option as never),
    ];
    for (const call of calls) {
      const thrown = await Promise.resolve()
        .then(call)
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ArgumentError);
      expect(String(thrown)).toContain(said);
    }
    expect(requests).toHaveLength(0);
  });

  it("adds what a read is held to no limit that a timer cannot have", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { client } = fakeService([ok({ id, status: "success", progress: 100 })]);
    await client.images.wait(id, { timeoutMs: 2 ** 31 - 1 });
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(2 ** 31 - 1);
    timers.mockRestore();
  });

  it("reads again after its interval also where the clock was set back by an hour", async () => {
    const slept: number[] = [];
    const times = [3_600_000];
    const sleep = async (ms: number) => void slept.push(ms);
    const timing = { sleep, nowMs: () => times.pop() ?? 0 };
    await fakeService([created, ok({ id, status: "success", progress: 100 })], {
      timing,
    }).client.images.wait(id);
    expect(slept).toEqual([2_000]);
  });

  it("takes what is a whole number of milliseconds or not, and null in place of options", async () => {
    const { client } = fakeService([created, ok({ id, status: "success", progress: 100 })]);
    const options = { waitMs: 600.5, pollMs: 0.5 };
    expect((await client.images.createAndWait(request, options)).status).toBe("success");
    expect((await client.images.createAndWait(request, null as never)).status).toBe("success");
  });

  it("ends by what an asynchronous onProgress throws", async () => {
    const { client } = fakeService([created]);
    const onProgress = () => Promise.reject(new Error("mine"));
    const made = client.images.createAndWait(request, { onProgress });
    await expect(made).rejects.toMatchObject({ generationId: id, cause: { message: "mine" } });
  });

  it("throws the bare reason where it has created nothing, and does not cancel what it waits for", async () => {
    const { client, requests } = fakeService([created]);
    const signal = AbortSignal.abort();
    await expect(client.images.createAndWait(request, { signal })).rejects.toBe(signal.reason);
    expect(requests).toHaveLength(0);
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error("enough"));
    const waiting = client.images.wait(id, { signal: stop.signal, onProgress });
    await expect(waiting).rejects.toThrow("enough");
    expect(requests.map(({ method }) => method)).toEqual(["GET"]);
  });

  it("ends after waitMs, also with a signal, whether it was created before or not", async () => {
    const hold: Fetch = (asked, { signal } = { signal: asked.signal }) =>
      asked.method === "POST"
        ? Promise.resolve(created.clone())
        : new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason as Error));
          });
    const { client } = fakeService([], { fetch: hold });
    for (const signal of [undefined, new AbortController().signal]) {
      const options = { waitMs: 20, ...(signal && { signal }) };
      const expected = { name: "TimeoutError", generationId: id };
      await expect(client.images.createAndWait(request, options)).rejects.toMatchObject(expected);
      await expect(client.images.wait(id, options)).rejects.toMatchObject(expected);
    }
  });
});

describe("a list", () => {
  const page = (ids: string[], hasMore: boolean) =>
    ok({ object: "list", data: ids.map((id) => ({ id })), has_more: hasMore });

  it("is filtered by a Date, and by no value that is undefined", async () => {
    // Some runtimes have no such property.
    const Older = class extends URLSearchParams {
      override readonly size: never = undefined as never;
    };
    vi.stubGlobal("URLSearchParams", Older);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { client, requests } = fakeService([page([], false)]);
    const after = new Date("2026-11-01T00:00:00Z");
    await client.images.list({ created_after: after, end_user: "a b&c" });
    const filter = { status: undefined, created_before: after } as object;
    await client.requests.list(filter);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      "?created_after=2026-11-01T00%3A00%3A00.000Z&end_user=a+b%26c",
      "?created_before=2026-11-01T00%3A00%3A00.000Z",
    ]);
  });

  it("has pages with a cursor, from which another listing goes on", async () => {
    const { client, requests } = fakeService([page(["c", "b"], true), page(["a"], false)]);
    let cursor: string | undefined;
    for await (const { nextCursor } of client.videos.list({ status: "success" }).pages()) {
      cursor = nextCursor;
      break;
    }
    expect(cursor).toBe("b");
    const rest = client.videos.list({ status: "success", after: cursor ?? "" });
    const pages = [];
    for await (const { data, nextCursor } of rest.pages()) pages.push([data, nextCursor]);
    expect(pages).toEqual([[[{ id: "a" }], undefined]]);
    expect(new URL(requests[1]?.url ?? "").search).toBe("?status=success&after=b");
  });

  it("is awaited to its first page, by one request, and iterated after that", async () => {
    const { client, requests } = fakeService([page(["c", "b"], true)]);
    const listing = client.videos.list({ limit: 2 });
    expect(requests).toHaveLength(0);
    const { data, has_more, nextCursor, lastResponse } = await listing;
    expect([data, has_more, nextCursor]).toEqual([[{ id: "c" }, { id: "b" }], true, "b"]);
    expect([lastResponse.status, (await listing).data]).toEqual([200, data]);
    expect(requests).toHaveLength(1);
    for await (const { id } of listing) if (id === "b") break;
    const ended = await Promise.all([client.images.list(), client.videos.list().finally(() => {})]);
    expect(ended.map((each) => each.data.length)).toEqual([2, 2]);
    const refused = fakeService([refusal(401, { type: "authentication_error", code: "x" })]);
    const error = await refused.client.videos.list().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 401 });
  });

  it("of models is an array, and is read as the other lists are, by one request", async () => {
    const { client, requests } = fakeService([page(["alpha", "beta"], false)]);
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    const models = await client.models.list();
    for (const { id } of models.data) ids.push(id);
    expect(ids).toEqual(["alpha", "beta", "alpha", "beta"]);
    expect(models).toEqual([{ id: "alpha" }, { id: "beta" }]);
    expect([models.data, models.has_more, models.lastResponse.status]).toEqual([
      models,
      false,
      200,
    ]);
    expect(requests).toHaveLength(2);
  });
});

const event = (status: string, progress: number) =>
  `event: generation\ndata: ${JSON.stringify({ id: "vgen_1", status, progress })}\n\n`;

function streamOf(chunks: readonly string[]): () => Response {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const headers = { "content-type": "text/event-stream" };
  return () => new Response(ReadableStream.from(bytes), { headers });
}

async function statesOf(updates: AsyncIterable<{ status: string; progress: number }>) {
  const seen: string[] = [];
  for await (const { status, progress } of updates) seen.push(`${status} ${progress}`);
  return seen;
}

it("watching yields each change once and ends with the final state, however the bytes arrive", async () => {
  const text = `retry: 3000\n\n${event("pending", 0)}: waiting\n\n${event("processing", 40)}${event("success", 100)}`;
  for (const size of [1, 7, text.length]) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const { client, requests } = fakeService([streamOf(chunks)]);
    expect(await statesOf(client.videos.watch("vgen_1"))).toEqual([
      "pending 0",
      "processing 40",
      "success 100",
    ]);
    expect(requests.map(({ headers }) => headers.get("accept"))).toEqual(["text/event-stream"]);
  }
});

it("watching puts up with an outage of almost a minute, and names the generation after a longer one", async () => {
  const down = Array.from({ length: 10 }, () => new TypeError("fetch failed"));
  const { client, slept } = fakeService([...down, streamOf([event("success", 100)])]);
  expect(await statesOf(client.videos.watch("vgen_1"))).toEqual(["success 100"]);
  expect(slept).toHaveLength(10);
  const ended = fakeService([new TypeError("fetch failed")]);
  await expect(statesOf(ended.client.videos.watch("vgen_1"))).rejects.toMatchObject({
    name: "ConnectionError",
    generationId: "vgen_1",
  });
});

it("watching throws the reason of an aborted signal", async () => {
  const stop = new AbortController();
  const { client } = fakeService([streamOf([event("processing", 1)])]);
  const updates = client.videos.watch("vgen_1", { signal: stop.signal });
  const watching = (async () => {
    for await (const _update of updates) stop.abort(new Error("enough"));
  })();
  await expect(watching).rejects.toThrow("enough");
});
