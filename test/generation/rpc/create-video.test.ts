/** CreateVideo: what it answers, charges and refuses, and that it is idempotent by the generation's id. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf, reasonOf, refusal } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { sweepHolds } from "../../../services/generation/holds/holds.ts";
import { isDown, refusalOf, useHarness, videoRequest } from "../fixture.ts";

const h = useHarness();

const create = (more: object = {}) =>
  h.client.createVideo({ ...videoRequest(h.accountId), ...more });

const refused = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ({ reason: reasonOf(error), faults: faultsOf(error) }),
  );

/** Why this generation is not shown. */
const found = (call: ReturnType<typeof videoRequest>) =>
  refusalOf(h.client.getGeneration({ ...call, kind: Kind.VIDEO }));

/** The model whose videos take four seconds where the request names no duration. */
function withShorterDefault(model: Model | undefined): Model | undefined {
  return model?.durations ? { ...model, durations: { ...model.durations, default: 4 } } : model;
}

describe("a create", () => {
  it("answers pending with defaults filled in and the price reserved", async () => {
    const input = { value: { duration: 5, aspectRatio: "16:9" } };
    const pending = { status: Status.PENDING, credits: 500n, output: [], keyId: "", input };
    expect(await create()).toMatchObject({ replayed: false, generation: pending });
    expect(await h.balance(h.accountId)).toEqual([500n, 500n]);
  });

  it("of an id that may exist is looked for before Tokens are reserved", async () => {
    const call = { ...videoRequest(h.accountId), mayExist: true };
    expect((await h.client.createVideo(call)).replayed).toBe(false);
    const reserve = vi.fn<() => Promise<never>>(isDown);
    h.replace("billing", { reserve });
    expect((await h.client.createVideo(call)).replayed).toBe(true);
    expect(reserve).not.toHaveBeenCalled();
  });

  it("of the same id after the end is answered with the original, and makes no task", async () => {
    const call = videoRequest(h.accountId);
    await h.client.createVideo(call);
    await h.sendAndPoll();
    const again = await h.client.createVideo(call);
    expect(again).toMatchObject({ replayed: true, generation: { status: Status.SUCCESS } });
    const tasks = await h.sql`select from generation.tasks where id = ${call.generationId}`;
    expect(tasks).toHaveLength(0);
    expect(await h.balance(h.accountId)).toEqual([500n, 0n]);
  });

  it("keeps the API key that it was made with, whichever key repeats it", async () => {
    const call = { ...videoRequest(h.accountId), keyId: randomId("key") };
    await h.client.createVideo(call);
    const again = await h.client.createVideo({ ...call, keyId: randomId("key") });
    expect(again).toMatchObject({ replayed: true, generation: { keyId: call.keyId } });
  });

  it("of the same id that differs in one field alone is refused, and names the field", async () => {
    const input = {
      prompt: "a cat",
      imageUrl: "https://example.com/a.png",
      negativePrompt: "rain",
      webhookUrl: "https://example.com/hook",
      metadata: { order: "1" },
    };
    const call = { ...videoRequest(h.accountId), input };
    await h.client.createVideo(call);
    const byDefault = h.client.createVideo({ ...call, input: { ...input, duration: 5 } });
    expect((await byDefault).replayed).toBe(true);
    const differs = (field: string) => ({
      reason: ErrorReason.CONTENT_DIFFERS,
      faults: [{ field, message: expect.stringContaining(`with another value of ${field}.`) }],
    });
    const model = h.client.createVideo({ ...call, model: "alpha-2.0" });
    expect(await refused(model)).toMatchObject(differs("model"));
    for (const [field, change] of [
      ["prompt", { prompt: "a dog" }],
      ["image_url", { imageUrl: "https://example.com/other.png" }],
      ["image_url", { imageUrl: undefined }],
      ["duration", { duration: 6 }],
      ["aspect_ratio", { aspectRatio: "9:16" }],
      ["negative_prompt", { negativePrompt: undefined }],
      ["webhook_url", { webhookUrl: "https://example.com/other" }],
      ["webhook_url", { webhookUrl: undefined }],
      ["metadata", { metadata: { order: "2" } }],
      ["metadata", { metadata: {} }],
      ["end_user", { endUser: "ben" }],
    ] as const) {
      const other = h.client.createVideo({ ...call, input: { ...input, ...change } });
      expect(await refused(other)).toMatchObject(differs(field));
    }
  });

  it("that left a field to its default is answered with the original after the default has changed", async () => {
    const call = videoRequest(h.accountId);
    const first = await h.client.createVideo(call);
    const { catalog } = h.deps;
    h.deps.catalog = { ...catalog, find: (id) => withShorterDefault(catalog.find(id)) };
    const again = await h.client.createVideo(call);
    expect(again).toMatchObject({ replayed: true, generation: first.generation });
    expect(await create()).toMatchObject({ generation: { input: { value: { duration: 4 } } } });
  });

  it("that the balance does not cover is refused and leaves nothing, and its key works after a recharge", async () => {
    const accountId = await h.account(499n);
    const call = videoRequest(accountId);
    expect(await refused(h.client.createVideo(call))).toMatchObject({
      reason: ErrorReason.INSUFFICIENT_TOKENS,
      faults: [{ metadata: { required: "500", available: "499" } }],
    });
    expect(await found(call)).toBe(ErrorReason.NOT_FOUND);
    await h.billing.recharge({ accountId, mode: Mode.LIVE, tokens: 1n });
    expect((await h.client.createVideo(call)).replayed).toBe(false);
    expect(await h.balance(accountId)).toEqual([0n, 500n]);
  });

  it.each([
    ["key", { keyId: randomId("key") }, {}],
    ["end user", { perEndUser: true }, { endUser: "anna" }],
  ])(
    "that a limit of its %s does not allow is refused and leaves nothing, and its Idempotency-Key works in the next period",
    async (scope, limit, user) => {
      const accountId = await h.account(2_000n);
      await h.billing.setTokenLimits({ accountId, ...limit, dayTokens: 999n });
      const create = ({ input, ...call } = videoRequest(accountId)) =>
        h.client.createVideo({ ...call, ...limit, input: { ...input, ...user } });
      await create();
      const call = videoRequest(accountId);
      const metadata = { required: "500", used: "500", scope: scope.replace(" ", "_") };
      expect(await refused(create(call))).toMatchObject({
        reason: ErrorReason.TOKEN_LIMIT_REACHED,
        faults: [{ metadata }],
      });
      expect(await found(call)).toBe(ErrorReason.NOT_FOUND);
      expect(await h.balance(accountId)).toEqual([1_500n, 500n]);
      h.clock.advance(86_400_000);
      expect((await create(call)).replayed).toBe(false);
      expect((await create(call)).replayed).toBe(true);
      expect(await h.balance(accountId)).toEqual([1_000n, 1_000n]);
    },
  );

  describe("with a file of the account", () => {
    const URL = `https://media.example/assets/${"0".repeat(26)}.png`;
    const withFile = (accountId: string) => ({
      ...videoRequest(accountId),
      model: "beta-2.7-image-to-video",
      input: { prompt: "a cat", imageUrl: URL },
    });

    it("keeps the file once its Tokens are reserved, and asks for no other URL", async () => {
      const accountId = await h.account(100_000n);
      const used: object[] = [];
      h.hooks.onUseFiles = ({ generationId, attempt, urls, checkOnly }) => {
        if (checkOnly) return {};
        used.push({ generationId, attempt, urls: urls.map(({ field, url }) => [field, url]) });
        return {};
      };
      const call = withFile(accountId);
      const restore = h.replace("billing", { reserve: isDown });
      await refused(h.client.createVideo(call));
      restore();
      await h.client.createVideo(call);
      await h.client.createVideo(call);
      const input = { prompt: "a cat", imageUrl: "https://images.example.com/0.png" };
      await h.client.createVideo({ ...withFile(accountId), input });
      const { generationId } = call;
      const urls = [["image_url", URL]];
      expect(used).toEqual([
        { generationId, attempt: 1, urls },
        { generationId, attempt: 1, urls },
      ]);
    });

    it("that delivery does not have is refused before anything is held, and what is held for one that just goes is released", async () => {
      const accountId = await h.account(100_000n);
      const field = "image_url";
      let isThere = false;
      h.hooks.onUseFiles = ({ checkOnly }) => {
        if (checkOnly && isThere) return {};
        throw refusal({ reason: ErrorReason.FILE_NOT_FOUND, field, message: "No such file." });
      };
      const call = withFile(accountId);
      const lacking = { reason: ErrorReason.FILE_NOT_FOUND, faults: [{ field }] };
      expect(await refused(h.client.createVideo(call))).toMatchObject(lacking);
      expect(await h.balance(accountId)).toEqual([100_000n, 0n]);
      isThere = true;
      expect(await refused(h.client.createVideo(call))).toMatchObject(lacking);
      h.clock.advance(75_000);
      await sweepHolds(h.deps, undefined);
      expect(await h.balance(accountId)).toEqual([100_000n, 0n]);
      const released = h.releasedFiles.filter((one) => one.startsWith(call.generationId));
      expect(released).toEqual([`${call.generationId} 1`]);
    });
  });

  it("that was accepted is answered though billing cannot be reached, or the model is gone, by now", async () => {
    const call = videoRequest(h.accountId);
    await h.client.createVideo(call);
    const restore = h.replace("billing", { reserve: isDown });
    expect((await h.client.createVideo(call)).replayed).toBe(true);
    restore();
    const { catalog } = h.deps;
    h.deps.catalog = { ...catalog, find: () => undefined };
    expect((await h.client.createVideo(call)).replayed).toBe(true);
  });

  it("that breaks its model's rules is refused with every fault, in the order of the fields", async () => {
    const model = "beta-2.7-text-to-video";
    const imageUrl = "https://e.com/a.png";
    const input = { prompt: "p", imageUrl, duration: 16, aspectRatio: "21:9" };
    const other = expect.stringContaining("such as beta-2.7-image-to-video.") as string;
    expect((await refused(create({ model, input })))?.faults).toMatchObject([
      { reason: ErrorReason.IMAGE_URL_NOT_SUPPORTED, field: "image_url", message: other },
      { reason: ErrorReason.UNSUPPORTED_DURATION, field: "duration" },
      { reason: ErrorReason.UNSUPPORTED_ASPECT_RATIO, field: "aspect_ratio" },
    ]);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("of a model whose price is not verified is refused and reserves nothing", async () => {
    const { catalog } = h.deps;
    const find = (id: string) => {
      const { pricing: _, ...unpriced } = catalog.find(id) as Model;
      return unpriced;
    };
    h.deps.catalog = { ...catalog, find };
    const message = expect.stringContaining("pricing_unverified") as string;
    expect(await refused(create())).toMatchObject({
      reason: ErrorReason.MODEL_UNAVAILABLE,
      faults: [{ field: "model", message }],
    });
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  const MODELS =
    "Use one of alpha-2.0, alpha-2.0-fast, alpha-2.0-mini, beta-2.7-text-to-video, beta-2.7-image-to-video, beta-3.0-video.";
  it.each([
    ["beta-3-video", 'Did you mean "beta-3.0-video"?'],
    ["sora-2", `${MODELS} /docs/guides/openai says what to use instead.`],
    ["cinema", MODELS],
  ])(
    "of the unknown model %s is refused with the id that was probably meant, if there is one near",
    async (model, next) => {
      const unknown = await refused(create({ model }));
      const message = `There is no model "${model}". ${next} GET /v1/models lists them.`;
      expect(unknown?.faults).toMatchObject([{ message }]);
    },
  );

  it("that may only replay creates nothing", async () => {
    const call = { ...videoRequest(h.accountId), replayOnly: true };
    expect(await refusalOf(h.client.createVideo(call))).toBe(ErrorReason.NOT_FOUND);
    await h.client.createVideo({ ...call, replayOnly: false });
    expect((await h.client.createVideo(call)).replayed).toBe(true);
  });

  it("is found, canceled and deleted only by its own account, mode, kind and id", async () => {
    const call = { ...videoRequest(h.accountId), kind: Kind.VIDEO };
    await h.client.createVideo(call);
    const { getGeneration, cancelGeneration, deleteGeneration } = h.client;
    for (const other of [
      { accountId: randomId("acct") },
      { mode: Mode.TEST },
      { kind: Kind.IMAGE },
      { generationId: randomId("vgen") },
    ]) {
      for (const rpc of [getGeneration, cancelGeneration, deleteGeneration]) {
        expect(await refusalOf(rpc({ ...call, ...other }))).toBe(ErrorReason.NOT_FOUND);
      }
    }
    expect((await getGeneration(call)).generation?.status).toBe(Status.PENDING);
  });
});
