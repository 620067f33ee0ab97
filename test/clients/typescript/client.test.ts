/** The TypeScript client against the whole service. */
import { beforeAll, describe, expect, it } from "vitest";
import { verifyWebhook, type Client, type Video } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer, type Customer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";

describe("the client", () => {
  let service: SharedService;
  let customer: Customer;
  let client: Client;
  beforeAll(async () => {
    service = await sharedService();
    customer = await newCustomer(service);
    client = clientOf(service.url, await customer.key("test"));
  });

  async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    for await (const item of items) found.push(item);
    return found;
  }

  it("creates a video, reports its progress and returns its file", async () => {
    const { id } = await client.videos.create({ model: "beta-3.0-video", prompt: "a cat" });
    const seen: Video[] = [];
    const ended = await client.videos.wait(id, {
      onProgress: (video) => void seen.push(video),
      pollMs: 100,
    });
    expect(ended.status).toBe("success");
    expect(seen.map(({ status }) => status)).toContain("processing");
    expect(seen.at(-1)).toEqual(ended);
    expect((await fetch(ended.output[0]?.url ?? "")).status).toBe(200);
    expect(await client.videos.retrieve(id)).toEqual(ended);
  });

  it("waits by long polling without onProgress", async () => {
    const { id } = await client.videos.create({ model: "alpha-2.0", prompt: "a cat" });
    const { status } = await client.videos.wait(id);
    expect(status).toBe("success");
  });

  it("creates an image and reads it again", async () => {
    const image = await client.images.create({ model: "gamma-image-3.0-pro", prompt: "a cat" });
    expect(image.output).toHaveLength(1);
    expect(await client.images.retrieve(image.id)).toEqual(image);
    expect(await client.images.wait(image.id)).toEqual(image);
    expect(await all(client.images.list())).toContainEqual(image);
  });

  it("creates an image without holding the request, and follows it to its end", async () => {
    const request = { model: "gamma-image-3.0-pro", prompt: "a cat" };
    const { id, status } = await client.images.create(request, { respondAsync: true });
    expect(status).toBe("pending");
    const seen: string[] = [];
    for await (const update of client.images.watch(id)) seen.push(update.status);
    expect(seen.at(-1)).toBe("success");
    await expect(client.images.cancel(id)).rejects.toMatchObject({ code: "already_finished" });
    expect((await client.images.createAndWait(request)).output).toHaveLength(1);
  });

  it("makes a video of a picture that it sends first, once for a repeated create", async () => {
    const image_url = new Blob([makeImage("png")]);
    const request = { model: "beta-2.7-image-to-video", prompt: "a cat", image_url } as const;
    const create = () => client.videos.create(request, { idempotencyKey: "with-picture" });
    const first = await create();
    expect((await create()).id).toBe(first.id);
    const ended = await client.videos.wait(first.id, { pollMs: 100 });
    expect(ended).toMatchObject({ status: "success" });
    expect((await fetch(ended.input.image_url ?? "")).status).toBe(200);
  });

  it("creates once if the response to the first attempt is lost", async () => {
    let hasLostOne = false;
    const losing = clientOf(service.url, await customer.key("test"), {
      fetch: async (request, init) => {
        const response = await fetch(request, init);
        if (hasLostOne) return response;
        hasLostOne = true;
        throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
      },
      timing: { sleep: async () => {} },
    });
    const before = await client.balance.retrieve();
    const video = await losing.videos.create({ model: "alpha-2.0", prompt: "a cat" });
    await client.videos.wait(video.id, { pollMs: 100 });
    const after = await client.balance.retrieve();
    expect(before.available - after.available).toBe(210);
    const entries = await all(client.transactions.list({ generation_id: video.id, limit: 1 }));
    expect(entries.map(({ type }) => type)).toEqual(["capture", "reserve"]);
  });

  it("lists videos over several pages, newest first, filtered", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const request = { model: "alpha-2.0-mini", prompt: `cat ${i}` };
      ids.unshift((await client.videos.create(request)).id);
    }
    const found = await all(client.videos.list({ model: "alpha-2.0-mini", limit: 2 }));
    expect(found.map(({ id }) => id)).toEqual(ids);
  });

  it("cancels, and says why if it is too late", async () => {
    const metadata = { simulate: "slow:60" };
    const { id } = await client.videos.create({ model: "alpha-2.0", prompt: "a cat", metadata });
    expect(await client.videos.cancel(id)).toMatchObject({ status: "canceled", credits: 0 });
    const done = await client.videos.create({ model: "alpha-2.0", prompt: "a cat" });
    await client.videos.wait(done.id, { pollMs: 100 });
    await expect(client.videos.cancel(done.id)).rejects.toMatchObject({
      status: 409,
      code: "already_finished",
    });
  });

  it("deletes what has ended, twice as once, and says why it does not delete what has not", async () => {
    const video = await client.videos.create({ model: "alpha-2.0", prompt: "a cat" });
    await client.videos.wait(video.id, { pollMs: 100 });
    const image = await client.images.create({ model: "gamma-image-3.0-pro", prompt: "a cat" });
    for (let i = 0; i < 2; i++) {
      expect(await client.videos.delete(video.id)).toBeUndefined();
      expect(await client.images.delete(image.id)).toBeUndefined();
    }
    const gone = { status: 410, code: "gone" };
    await expect(client.videos.retrieve(video.id)).rejects.toMatchObject(gone);
    await expect(client.images.retrieve(image.id)).rejects.toMatchObject(gone);
    const metadata = { simulate: "slow:60" };
    const { id } = await client.videos.create({ model: "alpha-2.0", prompt: "a cat", metadata });
    const notFinished = { status: 409, code: "not_finished" };
    await expect(client.videos.delete(id)).rejects.toMatchObject(notFinished);
    // Every file is deleted, which takes the maintenance a turn.
    const [output] = image.output;
    const statusOfFile = async () => (await fetch(output?.url ?? "")).status;
    await expect.poll(statusOfFile, { timeout: 20_000, interval: 500 }).toBe(410);
  });

  it("reads the catalog and the balance", async () => {
    const models = await client.models.list();
    expect(models).toHaveLength(7);
    expect(await client.models.retrieve("alpha-2.0")).toEqual(
      models.find(({ id }) => id === "alpha-2.0"),
    );
    expect(await client.balance.retrieve()).toMatchObject({ object: "balance", mode: "test" });
  });

  it("throws the service's error, with its code and field", async () => {
    const request = { model: "alpha-2.0", prompt: "", aspect_ratio: "wide", duration: 5 };
    await expect(client.videos.create(request)).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      code: "too_short",
      param: "prompt",
      requestId: expect.stringMatching(/^req_/) as string,
    });
    const withoutAccess = clientOf(service.url, "mgs_test_nonsense");
    await expect(withoutAccess.models.list()).rejects.toMatchObject({ status: 401 });
  });

  it("lists its own requests a moment later", async () => {
    const { requestId = "" } = await client.balance.retrieve().withResponse();
    await expect
      .poll(() => all(client.requests.list({ request_id: requestId })))
      .toMatchObject([{ method: "GET", path: "/v1/balance", status: 200 }]);
  });

  it("verifies the service's webhooks, and lists and repeats their deliveries", async () => {
    await using receiver = await startReceiver();
    const request = { model: "alpha-2.0", prompt: "a cat", webhook_url: receiver.url };
    const { id } = await client.videos.create(request);
    const ended = await client.videos.wait(id, { pollMs: 100 });
    await receiver.has(1);
    const secret = await customer.webhookSecret("test");
    const [first] = receiver.received;
    const event = await verifyWebhook(first?.body ?? "", first?.headers ?? {}, secret);
    expect(event).toMatchObject({ type: "video.generation.completed", data: ended });

    await expect
      .poll(async () => (await all(client.deliveries.list({ generation_id: id })))[0]?.status)
      .toBe("delivered");
    const [delivery] = await all(client.deliveries.list({ generation_id: id }));
    await client.deliveries.redeliver(delivery?.id ?? "");
    await receiver.has(2);
    expect(receiver.received[1]?.body).toEqual(first?.body);
    expect(await client.deliveries.retrieve(delivery?.id ?? "")).toMatchObject({
      url: receiver.url,
    });
  });
});
