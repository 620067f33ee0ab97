/** A service's key is rotated while it is called: no call fails, and the earlier key is refused in the end. */
import { createClient } from "@connectrpc/connect";
import { chmod, chown, mkdir, readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { overHttp, tokenInterceptor } from "#runtime/rpc/client/client.ts";
import { accessGate } from "#runtime/rpc/server/access.ts";
import { serviceKeys } from "#runtime/rpc/service-keys.ts";
import { type ServiceKey, ownToken, tokenVerifier } from "#runtime/rpc/service-token.ts";
import { openIdentities, rotateKey } from "../../../services/ops/setup/identities.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { serveRpc } from "../../support/rpc-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const log = createLog("test", "silent");

it("rotates under calls: none fails, two keys are trusted, and the third rotation drops the first key", async () => {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const identities = await openIdentities(path);
  const clock = manualClock(systemClock.now().toISOString());
  const files = { identity: identities.keyFile("gateway"), trusted: identities.trustedFile };
  const start = { identity: identities.keys.gateway, trusted: identities.trusted };
  // Two processes that read the same files, each in its own time.
  const caller = serviceKeys(start, files, { clock, log });
  const calleeClock = manualClock(systemClock.now().toISOString());
  const callee = serviceKeys(start, files, { clock: calleeClock, log });

  const server = stack.use(
    await serveRpc((router) => router.service(BillingService, { getBalance: () => ({}) }), {
      gate: accessGate(tokenVerifier(callee.trusted, "billing", systemClock)),
    }),
  );
  const client = clientWith(caller.identity);
  function clientWith(key: () => ServiceKey) {
    const token = tokenInterceptor(ownToken(key, "billing", systemClock));
    return createClient(BillingService, stack.use(overHttp([server.url])).connect([token]));
  }

  const failures: unknown[] = [];
  let calls = 0;
  const stop = new AbortController();
  stack.defer(() => stop.abort());
  const calling = (async () => {
    while (!stop.signal.aborted) {
      await client.getBalance({}).catch((error: unknown) => {
        failures.push(error);
        stop.abort();
      });
      calls++;
    }
  })();
  const moreCalls = async () => {
    const wanted = calls + 5;
    await expect.poll(() => calls).toBeGreaterThanOrEqual(wanted);
  };
  const rotate = () => rotateKey(path, "gateway", { afterMs: 0, clock: systemClock });

  await moreCalls();
  expect((await rotate()).state).toBe("trusted");
  await moreCalls();
  calleeClock.advance(5_000);
  await moreCalls();
  const second = await rotate();
  expect(second.state).toBe("used");
  await moreCalls();
  clock.advance(5_000);
  await moreCalls();
  expect(caller.identity().kid).toBe(second.key);
  const ofGateway = () => callee.trusted().keys.filter((key) => key.owner === "gateway");
  expect(ofGateway()).toHaveLength(2);

  const first = clientWith(() => identities.keys.gateway);
  await first.getBalance({});
  await rotate();
  calleeClock.advance(5_000);
  await expect(first.getBalance({})).rejects.toThrow(/token/);
  expect(ofGateway()).toHaveLength(2);
  await moreCalls();
  stop.abort();
  await calling;
  expect(failures).toEqual([]);
});

it("refuses to use a key that may not be trusted everywhere yet", async () => {
  await using folder = await temporaryFolder();
  await openIdentities(folder.path);
  const rotate = () => rotateKey(folder.path, "billing", { afterMs: 60_000, clock: systemClock });
  await rotate();
  await expect(rotate()).rejects.toThrow(/trusted for too short a time/);
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

const rotateTwice = async (folder: string) => {
  for (let run = 0; run < 2; run++) {
    await rotateKey(folder, "billing", { afterMs: 0, clock: systemClock });
  }
};

it("leaves mode and owner of what it writes as they were", async () => {
  await using folder = await temporaryFolder();
  await openIdentities(folder.path);
  await chmod(join(folder.path, "billing.json"), 0o440);
  await chmod(join(folder.path, "trusted.json"), 0o644);
  const before = await rightsIn(folder.path);
  await rotateTwice(folder.path);
  expect(await rightsIn(folder.path)).toEqual(before);
});

describe.runIf(process.getuid?.() === 0)("as root", () => {
  it("leaves keys of other users theirs", async () => {
    await using folder = await temporaryFolder();
    await openIdentities(folder.path);
    await chown(join(folder.path, "billing.json"), 1001, 1002);
    await chown(join(folder.path, "trusted.json"), 1003, 1002);
    const before = await rightsIn(folder.path);
    await rotateTwice(folder.path);
    expect(await rightsIn(folder.path)).toEqual(before);
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

it("names the file that a folder without keys lacks", async () => {
  await using folder = await temporaryFolder();
  const rotated = rotateKey(folder.path, "billing", { afterMs: 0, clock: systemClock });
  await expect(rotated).rejects.toThrow(/no such file.*trusted\.json/);
});
