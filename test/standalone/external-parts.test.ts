/** `npm start` on a Postgres, NATS servers and a bucket of the operator's own. */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { createLog } from "#runtime/log.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { rolesOf } from "../../services/ops/setup/provision.ts";
import { passwordVariable } from "../../services/ops/session/config.ts";
import { openPostgres } from "../../services/standalone/external-postgres.ts";
import { openParts } from "../../services/standalone/parts.ts";
import { readConfig } from "../../services/standalone/settings/config.ts";
import { testDatabases, testPassword } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const database = await testDatabases();
afterAll(() => database[Symbol.asyncDispose]());
const { pathname } = new URL(database.urls.billing.url);
const adminUrl = new URL(pathname, inject("superuserUrl")).href;

const roles = SERVICES.flatMap(rolesOf);
const passwords = new Map(roles.map((role) => [role, testPassword(role)]));
const made = () => "a password that was made";

describe("external parts", () => {
  it("are used instead of embedded ones, which then do not run, with the services' own variables", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "keys"));
    const config = readConfig({
      DATA_DIR: folder.path,
      DATABASE_URL: adminUrl,
      ...Object.fromEntries(roles.map((role) => [passwordVariable(role), testPassword(role)])),
      NATS_URL: "nats://nats.example:4222",
      NATS_USER: "media",
      NATS_PASSWORD: "secret",
      S3_ENDPOINT: "https://s3.example",
      S3_REGION: "eu-1",
      S3_BUCKET: "assets",
    });
    await using parts = await openParts(config, createLog("test", "silent"));
    expect(parts).toMatchObject({
      databases: database.urls,
      nats: { servers: ["nats.example:4222"], credentials: { user: "media", pass: "secret" } },
    });
    const s3 = { endpoint: "https://s3.example", region: "eu-1", bucket: "assets" };
    expect(config.delivery.storage).toMatchObject({ kind: "s3", s3 });
    expect(await readdir(folder.path)).toEqual(["keys"]);
  });

  it("keep the passwords of roles that exist, and a start says which one is wrong", async () => {
    const opened = openPostgres({ adminUrl, passwords: new Map() }, made);
    await expect(opened).rejects.toThrow(
      /^The role media_\w+ cannot sign in to the Postgres of DATABASE_URL: password authentication failed .* Set [A-Z]+(_OWNER)?_PASSWORD/,
    );
    expect(await openPostgres({ adminUrl, passwords }, made)).toEqual(database.urls);
  });

  it("need no right to create roles once they are provisioned", async () => {
    const provisioned = database.urls.gateway.url;
    expect(await openPostgres({ adminUrl: provisioned, passwords }, made)).toEqual(database.urls);
  });
});
