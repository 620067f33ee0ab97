/** `npm start` on a Postgres, NATS servers and a bucket of the operator's own. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { passwordVariable } from "../../services/ops/session/config.ts";
import { rolesOf, SERVICES } from "../../services/ops/setup/provision.ts";
import { openPostgres } from "../../services/standalone/external-postgres.ts";
import { clientOf } from "../support/customer.ts";
import { testDatabases, testPassword } from "../support/database.ts";
import { startNatsCluster } from "../support/nats-cluster.ts";
import { startS3 } from "../support/s3.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { forTests } from "../support/for-tests.ts";

const database = forTests(() => testDatabases());
let adminUrl: string;

beforeAll(() => {
  const url = new URL(inject("superuserUrl"));
  url.pathname = new URL(database.urls.billing.url).pathname;
  adminUrl = url.href;
});

const roles = SERVICES.flatMap(rolesOf);
const passwords = new Map(roles.map((role) => [role, testPassword(role)]));
const made = () => "a password that was made";

describe("external parts", () => {
  it("are used instead of embedded ones, which then do not run, with the services' own variables", async () => {
    await using folder = await temporaryFolder();
    await using nats = await startNatsCluster({
      size: 1,
      lines: "authorization { user: media, password: secret }",
    });
    await using s3 = await startS3();
    const { endpoint = "", region, bucket, credentials } = s3.config;
    const dataDir = join(folder.path, "data");
    await using service = await standaloneIn(dataDir, {
      DATABASE_URL: adminUrl,
      ...Object.fromEntries(roles.map((role) => [passwordVariable(role), testPassword(role)])),
      NATS_URL: nats.url,
      NATS_USER: "media",
      NATS_PASSWORD: "secret",
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? "",
      S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? "",
      S3_FORCE_PATH_STYLE: "true",
      REQUEST_LOG_DAYS: "0",
    });
    const client = clientOf(service.url, await readFile(join(dataDir, "demo/live-key"), "utf8"));
    const { id } = await client.videos.create({
      model: "beta-3.0-video",
      duration: 2,
      prompt: "a cat",
    });
    const { status, output } = await client.videos.wait(id);
    expect(status).toBe("success");
    const file = await fetch(output[0]?.url ?? "");
    expect((await file.arrayBuffer()).byteLength).toBe(output[0]?.bytes);

    const sql = postgres(adminUrl, { max: 1 });
    const rows = await sql`select status from generation.generations where id = ${id}`;
    const days = await sql`
      select inhrelid from pg_inherits where inhparent = 'gateway.request_log'::regclass`;
    await sql.end();
    expect(rows).toHaveLength(1);
    expect(days).toHaveLength(0);
    expect(s3.requests().some(({ method }) => method === "PUT")).toBe(true);
    expect(await readFile(join(dataDir, "service.log"), "utf8")).toContain(
      `"server":"${new URL(nats.url).host}"`,
    );
    const inDataDir = await readdir(dataDir);
    expect(["postgres", "nats", "assets"].filter((name) => inDataDir.includes(name))).toEqual([]);
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

  it("say that they cannot be reached", async () => {
    const opened = openPostgres({ adminUrl: "postgres://me@127.0.0.1:1/media", passwords }, made);
    await expect(opened).rejects.toThrow("DATABASE_URL cannot be used: connect ECONNREFUSED");
  });
});
