/** The NATS server program: how it is downloaded. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureNatsServer, officialRelease, RELEASE } from "../../scripts/nats-binary.mjs";
import { startHttp } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PROGRAM = "#!/bin/sh\necho nats-server: v9.9.9\n";
const nowhere = { env: {}, morePath: [] };

describe("the NATS server program", () => {
  it("is downloaded once as the pinned release, and found in the cache after that", async () => {
    await using root = await temporaryFolder(0o700);
    await using site = await releaseSite(PROGRAM);
    const options = { root: root.path, ...nowhere, sources: [officialRelease(site)] };
    const fetched = await ensureNatsServer(options);
    expect(await readFile(fetched, "utf8")).toBe(PROGRAM);
    expect(await ensureNatsServer({ ...options, sources: [] })).toBe(fetched);
    expect(site.requests).toEqual([
      `/v${RELEASE.version}/nats-server-v${RELEASE.version}-linux-amd64.tar.gz`,
    ]);
  });

  it("is refused when its checksum differs, with one error that gives the reason of every source", async () => {
    await using root = await temporaryFolder(0o700);
    await using site = await releaseSite(PROGRAM);
    const release = { ...site.release, sha256: { "linux-amd64": "0".repeat(64) } };
    const broken = { name: "a broken one", folder: "broken", fetch: async () => "/nonexistent" };
    const sources = [officialRelease({ ...site, release }), broken];
    const failing = ensureNatsServer({ root: root.path, ...nowhere, sources });
    await expect(failing).rejects.toThrow(/No NATS server is available[^]*has checksum[^]*ENOENT/);
    expect(await readdir(join(root.path, ".cache/nats-server"))).toEqual([]);
  });

  it("is not kept when it does not run", async () => {
    await using root = await temporaryFolder(0o700);
    await using site = await releaseSite("#!/bin/sh\nexit 1\n");
    const options = { root: root.path, ...nowhere, sources: [officialRelease(site)] };
    await expect(ensureNatsServer(options)).rejects.toThrow(/No NATS server is available/);
    expect(await readdir(join(root.path, ".cache/nats-server"))).toEqual([]);
  });
});

/** A site that serves a release like the NATS project's, with `content` as the program. */
async function releaseSite(content: string) {
  await using folder = await temporaryFolder(0o700);
  const inside = `nats-server-v${RELEASE.version}-linux-amd64`;
  await mkdir(join(folder.path, inside));
  await writeFile(join(folder.path, inside, "README.md"), "x".repeat(700));
  await writeFile(join(folder.path, inside, "nats-server"), content);
  execFileSync("tar", ["-czf", "archive", inside], { cwd: folder.path });
  const archive = await readFile(join(folder.path, "archive"));
  const requests: string[] = [];
  const server = await startHttp((request, response) => {
    requests.push(request.url ?? "");
    response.end(archive);
  });
  const sha256 = { "linux-amd64": createHash("sha256").update(archive).digest("hex") };
  return {
    ...server,
    requests,
    platform: "linux-amd64",
    release: { version: RELEASE.version, base: server.url, sha256 },
  };
}
