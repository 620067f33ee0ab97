/** The files of what is refused, undone or ends without success: they are given back, whatever comes next. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { routes } from "../../../services/delivery/rpc-routes.ts";
import { FAILURES } from "../../../services/generation/domain/failures.ts";
import { testDeps } from "../../delivery/test-deps.ts";
import { makeImage } from "../../support/make-media.ts";
import { memoryClient } from "../../support/rpc.ts";
import {
  after,
  refusalOf,
  sendAndPoll,
  useHarness,
  videoRequest,
  withWorkers,
  work,
} from "../fixture.ts";

const BASE = "https://media.example/assets";
/** After it another call may take a create over. */
const CREATE_LEASE_MS = 15_000;

const h = useHarness({ tokens: 0n });
let sql: Sql;
let delivery: ReturnType<typeof memoryClient<typeof DeliveryService>>;
beforeAll(() => {
  sql = connectPostgres({ url: h.urls.delivery.url, maxConnections: 4 }, "test");
  delivery = memoryClient(
    DeliveryService,
    routes(testDeps({ sql, clock: h.clock, assetBaseUrl: BASE })),
  );
});
afterAll(() => sql.end());
beforeEach(async () => {
  await h.endTasks();
  const { useFiles, releaseFiles } = delivery;
  h.deps.delivery = { ...h.deps.delivery, useFiles, releaseFiles };
});

const owner = () => ({ accountId: h.accountId, mode: Mode.LIVE });

/** A picture that the account has sent. */
async function sendFile() {
  const fileId = randomId("file");
  const { file } = await delivery.createFile({ ...owner(), fileId, content: makeImage("png") });
  const remove = () => refusalOf(delivery.deleteFile({ ...owner(), fileId }));
  return { imageUrl: `${BASE}/${file?.key}`, remove };
}

const requestWith = ({ imageUrl }: { imageUrl: string }) => ({
  ...videoRequest(h.accountId),
  model: "beta-2.7-image-to-video",
  input: { prompt: "a cat", imageUrl },
});
const withFile = (request: ReturnType<typeof requestWith>, { imageUrl }: { imageUrl: string }) => ({
  ...request,
  input: { ...request.input, imageUrl },
});
const recharge = () => h.billing.recharge({ ...owner(), tokens: 100_000n });

describe("a create that is refused for lack of Tokens", () => {
  it("gives its file back as soon as a worker looks, so that it can be deleted", async () => {
    const file = await sendFile();
    const create = h.client.createVideo(requestWith(file));
    expect(await refusalOf(create)).toBe(ErrorReason.INSUFFICIENT_TOKENS);
    await h.drain();
    expect(await file.remove()).toBeUndefined();
  });

  it("gives its file back when its key is used again with another one, which is kept", async () => {
    const [first, second] = [await sendFile(), await sendFile()];
    const request = requestWith(first);
    await refusalOf(h.client.createVideo(request));
    await recharge();
    const { generation } = await h.client.createVideo(withFile(request, second));
    expect(generation?.status).toBe(Status.PENDING);
    expect(await first.remove()).toBeUndefined();
    expect(await second.remove()).toBe(ErrorReason.FILE_IN_USE);
  });

  it("keeps its file when its key is used again with the same one, though a worker still undoes the first", async () => {
    const file = await sendFile();
    const request = requestWith(file);
    await refusalOf(h.client.createVideo(request));
    const undone = await h.claim(1);
    await recharge();
    await h.client.createVideo(request);
    await work(h, undone);
    expect(await file.remove()).toBe(ErrorReason.FILE_IN_USE);
  });
});

describe("a generation with a file", () => {
  const ends = {
    failed: () => {
      h.provider.onPoll = () => ({ kind: "failed", failure: FAILURES.stopped });
      return Promise.resolve();
    },
    canceled: (generationId: string) =>
      withWorkers(h, () =>
        h.client.cancelGeneration({ ...owner(), kind: Kind.VIDEO, generationId }),
      ),
    success: () => Promise.resolve(),
  };

  it.each([
    ["failed", undefined],
    ["canceled", undefined],
    ["success", ErrorReason.FILE_IN_USE],
  ] as const)("that ends as %s gives it back if nothing was made", async (status, refused) => {
    const file = await sendFile();
    await recharge();
    const { generation } = await h.client.createVideo(requestWith(file));
    await ends[status](generation?.id ?? "");
    await sendAndPoll(h);
    expect((await h.deps.find(h.accountId, generation?.id ?? ""))?.status).toBe(status);
    expect(await file.remove()).toBe(refused);
  });

  it("ends only once its file is given back, and restores its Tokens once", async () => {
    const file = await sendFile();
    await recharge();
    await h.client.createVideo(requestWith(file));
    h.provider.onPoll = () => ({ kind: "failed", failure: FAILURES.stopped });
    const { releaseFiles } = h.deps.delivery;
    const isDown = () => Promise.reject(new Error("no connection"));
    h.deps.delivery = { ...h.deps.delivery, releaseFiles: isDown };
    await sendAndPoll(h);
    expect(await file.remove()).toBe(ErrorReason.FILE_IN_USE);
    h.deps.delivery = { ...h.deps.delivery, releaseFiles };
    await after(h, 60_000);
    expect(await file.remove()).toBeUndefined();
    expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
  });
});

describe("a create whose process died after it had kept its file", () => {
  it("gives the file back when its key is used again with another one", async () => {
    const [first, second] = [await sendFile(), await sendFile()];
    await recharge();
    const request = requestWith(first);
    const { billing } = h.deps;
    const died = Promise.withResolvers<never>();
    const isSent = Promise.withResolvers<void>();
    const reserve = () => {
      isSent.resolve();
      return died.promise;
    };
    h.deps.billing = { ...billing, reserve };
    const lost = refusalOf(h.client.createVideo(request));
    await isSent.promise;
    h.deps.billing = billing;
    h.clock.advance(CREATE_LEASE_MS);
    await h.client.createVideo(withFile(request, second));
    expect(await first.remove()).toBeUndefined();
    expect(await second.remove()).toBe(ErrorReason.FILE_IN_USE);
    died.reject(new Error("the process died"));
    await lost;
  });
});
