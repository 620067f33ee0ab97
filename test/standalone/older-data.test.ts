/** `npm start` on the data of another version. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startPostgres } from "../../services/standalone/embedded/postgres/server.ts";
import { clientOf } from "../support/customer.ts";
import { runToEnd } from "../support/process.ts";
import { releasedTree } from "../support/released-tree.ts";
import { isLong } from "../support/test-size.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("refuses that of a version from before 1.0.0, says what to do and deletes nothing, so that the other version starts on it again", async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  const readBalance = async () => {
    await using service = await standaloneIn(dataDir);
    const client = clientOf(service.url, await readFile(join(dataDir, "demo/live-key"), "utf8"));
    return await client.balance.retrieve();
  };
  const balance = await readBalance();
  const replaceFirstMigration = async (sha256: string) => {
    const log = createLog("postgres", "silent");
    const place = { directory: join(dataDir, "postgres"), port: await freePort(), log };
    await using server = await startPostgres(place);
    const sql = postgres(server.url({ database: "media" }), { max: 1 });
    const [before] = await sql`select first_migration from billing.schema_functions`;
    await sql`update billing.schema_functions set first_migration = ${sha256}`;
    await sql.end();
    return String(before?.["first_migration"]);
  };

  const own = await replaceFirstMigration("of another version");
  const environment = { DATA_DIR: dataDir, PORT: String(await freePort()) };
  expect(await runToEnd("services/standalone/main.ts", environment)).toEqual({
    code: 1,
    output: `The data folder ${dataDir} was made by another version from before 1.0.0 and cannot be used. Nothing in it was deleted: move it away, or choose another DATA_DIR; then start again.\n`,
  });
  await replaceFirstMigration(own);
  expect(await readBalance()).toEqual(balance);
}, 120_000);

it.runIf(isLong)(
  "keeps that of the last release",
  async ({ skip }) => {
    await using last = await releasedTree();
    if (!last) return skip("nothing is released, or this clone lacks the commit");
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, "data");
    const key = () => readFile(join(dataDir, "demo/live-key"), "utf8");
    const before = await (async () => {
      await using service = await standaloneIn(dataDir, {}, last.path);
      const client = clientOf(service.url, await key());
      const { id } = await client.videos.create({ model: "beta-3.0-video", prompt: "a cat" });
      return { video: await client.videos.wait(id), balance: await client.balance.retrieve() };
    })();
    await using service = await standaloneIn(dataDir);
    const client = clientOf(service.url, await key());
    const video = await client.videos.retrieve(before.video.id);
    expect(video).toMatchObject({
      id: before.video.id,
      status: "success",
      credits: before.video.credits,
    });
    expect(await client.balance.retrieve()).toEqual(before.balance);
    expect((await fetch(video.output?.[0]?.url ?? "")).status).toBe(200);
    const { id } = await client.videos.create({ model: "beta-3.0-video", prompt: "another cat" });
    expect((await client.videos.wait(id)).status).toBe("success");
  },
  240_000,
);
