/** `ops provision` on a Postgres of somebody else, as an admin who is no superuser. */
import { join } from "node:path";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { createPostgres } from "../../support/compose/postgres-server.ts";
import { openPool } from "../../support/database.ts";
import { operatorOf, runOpsHere } from "../../support/operator.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Row = { role: string; password: string };

it("makes roles and schemas that only their owner migrates, prints each password once, changes nothing when repeated", async () => {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const port = await freePort();
  const server = stack.use(await createPostgres(join(path, "postgres"), port, "secret"));
  await server.start();
  const superuser = stack.use(openPool(server.superuserUrl()));
  await superuser`create role operator login createrole createdb password 'secret'`;
  const urlOf = (role: string, password: string, database: string) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
  const { ops } = operatorOf({
    ADMIN_DATABASE_URL: urlOf("operator", "secret", "postgres"),
    BILLING_PASSWORD: "given by us",
  });

  const made = new Map((await ops<Row[]>("provision")).map((row) => [row.role, row.password]));
  expect(made.size).toBe(8);
  expect(made.get("media_billing")).toBe("as given");
  const ownerIn = (database: string) =>
    urlOf("media_billing_owner", made.get("media_billing_owner") ?? "", database);
  const owner = ownerIn("media");
  const migrate = (url: string) =>
    runOpsHere({ MIGRATE_DATABASE_URL: url }, ["migrate", "billing"]);
  const user = urlOf("media_billing", "given%20by%20us", "media");
  const no =
    "ops: media_billing may not migrate the schema billing: do it as media_billing_owner\n";
  const missing = "ops: the database has no schema billing: run ops provision first\n";
  for (const [url, code, stdout, stderr] of [
    [user, 1, "", no],
    [owner, 0, expect.stringMatching(/migrations +applied: 0001.*\nfunctions +applied\n/), ""],
    [owner, 0, "schema      billing\nmigrations  up to date\nfunctions   up to date\n", ""],
    [ownerIn("postgres"), 1, "", missing],
  ] as const)
    expect(await migrate(url)).toEqual({ code, stdout, stderr });

  const again = await ops<Row[]>("provision");
  expect(again.filter(({ password }) => password !== "unchanged")).toEqual([
    { role: "media_billing", password: "as given" },
  ]);
  const billing = stack.use(openPool(user));
  expect(await billing`select account_id from billing.balances`).toEqual([]);
  await expect(billing`select 1 as one from generation.generations`).rejects.toThrow(/permission/);
});
