/** The files of a generation that ends without success are given back. create-video.test.ts has those of refused creates. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { routes } from "../../../services/delivery/rpc-routes.ts";
import { FAILURES } from "../../../services/generation/domain/failures.ts";
import { testDeps } from "../../delivery/test-deps.ts";
import { makeImage } from "../../support/make-media.ts";
import { memoryClient } from "../../support/rpc.ts";
import { isDown, refusalOf, useHarness, videoRequest } from "../fixture.ts";

const BASE = "https://media.example/assets";

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
  h.replace("delivery", { useFiles, releaseFiles });
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
const recharge = () => h.billing.recharge({ ...owner(), tokens: 100_000n });

describe("a generation with a file", () => {
  const ends = {
    failed: () => {
      h.provider.onPoll = () => ({ kind: "failed", failure: FAILURES.stopped });
      return Promise.resolve();
    },
    canceled: (generationId: string) =>
      h.withWorkers(() =>
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
    await h.sendAndPoll();
    expect((await h.deps.find(h.accountId, generation?.id ?? ""))?.status).toBe(status);
    expect(await file.remove()).toBe(refused);
  });

  it("ends only once its file is given back, and restores its Tokens once", async () => {
    const file = await sendFile();
    await recharge();
    await h.client.createVideo(requestWith(file));
    h.provider.onPoll = () => ({ kind: "failed", failure: FAILURES.stopped });
    const restore = h.replace("delivery", { releaseFiles: isDown });
    await h.sendAndPoll();
    expect(await file.remove()).toBe(ErrorReason.FILE_IN_USE);
    restore();
    await h.after(60_000);
    expect(await file.remove()).toBeUndefined();
    expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
  });
});
