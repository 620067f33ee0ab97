/** Files that clients send, and what an account does with them, on a database of the test file. */
import { MockAgent } from "undici";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { pictureFetcher } from "../../../services/delivery/download/fetch.ts";
import { markExpired } from "../../../services/delivery/maintenance/maintenance.ts";
import { connectedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { makeImage } from "../../support/make-media.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { memoryStore } from "../memory-store.ts";
import { deleteMarked } from "../store-asset.ts";
import { rpcOf, testDeps } from "../test-deps.ts";

export const HOUR_MS = 3_600_000;
export const BASE = "https://media.example/assets";
export const PNG = makeImage("png");

/** Declares one database for all tests of a file; what it returns makes a new account. */
export function filesFixture() {
  const database = forTests(() => connectedDatabase("delivery", 8));
  return (mode: Mode = Mode.LIVE) => {
    const { sql } = database;
    const clock = manualClock();
    const store = memoryStore();
    const agent = new MockAgent();
    agent.disableNetConnect();
    const fetchPicture = pictureFetcher({ sql, store, assetBaseUrl: BASE, agent });
    const deps = testDeps({ sql, clock, store, fetchPicture, assetBaseUrl: BASE });
    const rpc = rpcOf(deps);
    const accountId = randomId("acct");
    const owner = { accountId, mode };
    const create = (fileId: string, content: Uint8Array = PNG) =>
      rpc.createFile({ ...owner, fileId, content });
    const send = async (fileId = randomId("file"), content?: Uint8Array) => {
      const { file } = await create(fileId, content);
      if (!file) throw new Error("no file");
      return { ...file, url: `${BASE}/${file.key}` };
    };
    const get = (fileId: string) => rpc.getFile({ ...owner, fileId });
    const remove = (fileId: string) => rpc.deleteFile({ ...owner, fileId });
    const use = async (url: string, generationId = randomId("vgen"), attempt = 1, more = {}) => {
      const urls = [{ field: "image_url", url }];
      await rpc.useFiles({ ...owner, generationId, attempt, urls, ...more });
      return generationId;
    };
    const release = (generationId: string) =>
      rpc.releaseFiles({ accountId, generationId, attempt: 1 });
    const deleteGeneration = (generationId: string) =>
      rpc.deleteGeneration({ accountId, generationId });
    /** Advances the clock, and deletes what has expired and what is marked. */
    const after = async (ms: number) => {
      clock.advance(ms);
      await markExpired(deps);
      while ((await deleteMarked(deps)) > 0);
    };
    const isStored = ({ key }: { key: string }) => store.objects.has(key);
    const analyze = () => database.owner`vacuum analyze delivery.assets`;
    const calls = { rpc, create, send, get, remove, use, release, deleteGeneration };
    return { sql, analyze, accountId, owner, ...calls, after, isStored, store, clock, deps };
  };
}
