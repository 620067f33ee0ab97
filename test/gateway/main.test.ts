/** A gateway in a process of its own. */
import { expect, inject, it } from "vitest";
import { openIdentities } from "../../services/ops/setup/identities.ts";
import { testDatabase } from "../support/database.ts";
import { startProcess } from "../support/process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Says on standard error which modules are loaded. */
const TELL_LOADS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => (console.error("loads " + url), next(url, context)) });
`)}`;

it("has loaded what sign-in and tools need before it is ready, so that nobody waits for it", async () => {
  await using database = await testDatabase("gateway");
  await using folder = await temporaryFolder();
  const identities = await openIdentities(folder.path);
  const peer = "http://127.0.0.1:1";
  await using running = startProcess("services/gateway/main.ts", {
    NODE_OPTIONS: `--import=${TELL_LOADS}`,
    DATABASE_URL: database.url,
    NATS_URL: inject("natsUrl"),
    SERVICE_KEY_FILE: identities.keyFile("gateway"),
    TRUSTED_KEYS_FILE: identities.trustedFile,
    PORT: "0",
    AUTH_SECRET: "a secret of thirty-two characters",
    GENERATION_URL: peer,
    BILLING_URL: peer,
    DELIVERY_URL: peer,
    DELIVERY_ASSETS_URL: peer,
    LAME_DUCK_MS: "0",
  });
  await running.says("ready\n");
  const [before = ""] = running.output().split("ready\n");
  expect(before).toContain("gateway/dashboard/session/auth.ts");
  expect(before).toContain("node_modules/better-auth/");
  expect(before).toContain("gateway/edge/mcp/serve.ts");
});
