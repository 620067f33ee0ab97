/** The log of a service says when it serves and with what, when it stops, and when it has stopped. */
import { expect, inject, it } from "vitest";
import { VERSION } from "#runtime/version.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { openIdentities } from "../../services/ops/setup/identities.ts";
import { testDatabase } from "../support/database.ts";
import { runToEnd, startProcess } from "../support/process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("a service does not start with the key of another one, and says whose it is", async () => {
  await using database = await testDatabase("billing");
  await using folder = await temporaryFolder();
  const identities = await openIdentities(folder.path);
  const { code, output } = await runToEnd("services/billing/main.ts", {
    DATABASE_URL: database.url,
    SERVICE_KEY_FILE: identities.keyFile("gateway"),
    TRUSTED_KEYS_FILE: identities.trustedFile,
  });
  expect(code).toBe(1);
  expect(output).toBe(
    "configuration:\n  - SERVICE_KEY_FILE must be billing's private key, not gateway's\n",
  );
});

it("a service says that it serves, with its release, ports and what it uses, that it stops, and that it has stopped", async () => {
  await using database = await testDatabase("billing");
  await using folder = await temporaryFolder();
  const identities = await openIdentities(folder.path);
  const port = await freePort();
  const { host, pathname, password } = new URL(database.url);
  await using running = startProcess("services/billing/main.ts", {
    DATABASE_URL: database.url,
    NATS_URL: inject("natsUrl"),
    SERVICE_KEY_FILE: identities.keyFile("billing"),
    TRUSTED_KEYS_FILE: identities.trustedFile,
    RPC_PORT: String(port),
    LAME_DUCK_MS: "1",
    DRAIN_MS: "2000",
  });
  await running.says("ready\n");
  expect(await running.end("SIGTERM")).toBe(0);
  const lines = running
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { msg: string });
  const told = /^(serving|stop|draining)/;
  expect(lines.filter(({ msg }) => told.test(msg))).toMatchObject([
    {
      msg: "serving",
      service: "billing",
      version: VERSION,
      listens: [`http://127.0.0.1:${port}`],
      uses: [`postgres ${host}${pathname}`, expect.stringMatching(/^nats 127\.0\.0\.1:\d+$/)],
    },
    { msg: "stopping, still serves", ms: 1 },
    { msg: "draining, takes nothing new", ms: 2000 },
    { msg: "stopped" },
  ]);
  expect(running.output()).not.toContain(password);
});
