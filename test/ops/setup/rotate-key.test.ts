/** A service's key is rotated in two runs, and the earlier key is refused in the end. */
import { chmod, chown, mkdir, readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { succeeds, systemClock } from "#runtime/clock.ts";
import { tokenIssuer, tokenVerifier } from "#runtime/rpc/service-token.ts";
import {
  type Identities,
  openIdentities,
  rotateKey,
} from "../../../services/ops/setup/identities.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("trusts a key before it is used, and drops the first key at the next rotation", async () => {
  await using folder = await temporaryFolder();
  /** Whether a process that started with `trusted` accepts calls of one that started with `key`. */
  const start = () => openIdentities(folder.path);
  const accepts = async ({ trusted }: Identities, { keys }: Identities) => {
    const sign = tokenIssuer(keys.gateway, systemClock);
    const token = await sign({ caller: "gateway", audience: "billing" });
    return succeeds(tokenVerifier(trusted, "billing", systemClock)(token));
  };
  const rotate = () => rotateKey(folder.path, "gateway");

  const first = await start();
  expect((await rotate()).state).toBe("trusted");
  const second = await start();
  expect(second.keys.gateway).toEqual(first.keys.gateway);
  const used = await rotate();
  expect(used.state).toBe("used");
  const third = await start();
  expect(third.keys.gateway.kid).toBe(used.key);
  expect(await accepts(second, third)).toBe(true);
  expect(await accepts(third, first)).toBe(true);
  await rotate();
  const fourth = await start();
  expect(await accepts(fourth, third)).toBe(true);
  expect(await accepts(fourth, first)).toBe(false);
});

it("replaces no key where trusted.json is there and cannot be read", async () => {
  await using folder = await temporaryFolder();
  const { keyFile, trustedFile } = await openIdentities(folder.path);
  const key = await readFile(keyFile("billing"), "utf8");
  await rm(trustedFile);
  await mkdir(trustedFile);
  await expect(openIdentities(folder.path)).rejects.toThrow("EISDIR");
  expect(await readFile(keyFile("billing"), "utf8")).toBe(key);
});

/** Mode and owner of each file of the folder, by its name. */
async function rightsIn(folder: string) {
  const names = await readdir(folder);
  const rights = names.toSorted().map(async (name) => {
    const { mode, uid, gid } = await stat(join(folder, name));
    return [name, [(mode & 0o777).toString(8), uid, gid]] as const;
  });
  return Object.fromEntries(await Promise.all(rights));
}

/** The rights that `change` has set, and those after two rotations. */
async function rightsAround(change: (privateKey: string, trusted: string) => Promise<void>) {
  await using folder = await temporaryFolder();
  await openIdentities(folder.path);
  await change(join(folder.path, "billing.json"), join(folder.path, "trusted.json"));
  const before = await rightsIn(folder.path);
  for (let run = 0; run < 2; run++) await rotateKey(folder.path, "billing");
  return [before, await rightsIn(folder.path)];
}

it("leaves mode and owner of what it writes as they were", async () => {
  const [before, after] = await rightsAround(async (privateKey, trusted) => {
    await chmod(privateKey, 0o440);
    await chmod(trusted, 0o644);
  });
  expect(after).toEqual(before);
});

describe.runIf(process.getuid?.() === 0)("as root", () => {
  it("leaves keys of other users theirs", async () => {
    const [before, after] = await rightsAround(async (privateKey, trusted) => {
      await chown(privateKey, 1001, 1002);
      await chown(trusted, 1003, 1002);
    });
    expect(after).toEqual(before);
  });

  it("gives the first keys to whom the folder belongs", async () => {
    await using folder = await temporaryFolder();
    await chown(folder.path, 1001, 1002);
    await openIdentities(folder.path);
    expect(await rightsIn(folder.path)).toMatchObject({
      "ops.json": ["600", 1001, 1002],
      "trusted.json": ["644", 1001, 1002],
    });
  });
});
