/** The migration that puts deliveries in one row each: what release 1.0.0 kept in other tables stays what it was. */
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "#runtime/postgres/migrate.ts";
import { openPool, unmigratedDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DIRECTORY = "services/delivery/migrations";
const FIRST_AFTER = "0005";

it("keeps the status, the schedule and the attempts of deliveries, and which URLs are disabled", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await unmigratedDatabase());
  const { path } = stack.use(await temporaryFolder());
  const directory = join(path, "migrations");
  for (const name of readdirSync(DIRECTORY).filter((one) => one < FIRST_AFTER)) {
    cpSync(join(DIRECTORY, name), join(directory, name));
  }
  const { url, ownerUrl } = database.urls.delivery;
  await migrate({ url: ownerUrl, schema: "delivery", directory });
  const owner = stack.use(openPool(ownerUrl));
  const ids = ["once", "thrice", "exhausted", "disabled", "due", "later"];
  await owner`
    insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, created_at)
    select 'a', id, 'live', 'evt_' || id, 't', 'https://' || id, id, 'x', '2026-11-01' from unnest(${ids}::text[]) id`;
  await owner`
    insert into delivery.finished_deliveries (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
      attempt_count, redelivered)
    values ('a', 'once', 'live', '', '2026-11-01', 'delivered', 1, 1, false),
      ('a', 'thrice', 'live', '', '2026-11-01', 'delivered', 4, 3, true),
      ('a', 'exhausted', 'live', '', '2026-11-01', 'exhausted', 8, 8, false),
      ('a', 'disabled', 'live', '', '2026-11-01', 'disabled', 0, 0, false)`;
  await owner`
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at, next_attempt_at, ready,
      host_slot, leased_at, lease_until, fence, attempt_count, resume_at)
    values ('a', 'due', 'live', '', 'due', '2026-11-01', '2026-11-02', false, 1, '2026-11-02', '2026-11-03', 2, 1, null),
      ('a', 'later', 'live', '', 'later', '2026-11-01', '2026-11-02', false, null, null, null, 5, 4, '2026-11-09')`;
  await owner`
    insert into delivery.disabled_urls (account_id, mode, url_sha256, url, reason, disabled_at)
    select 'a', 'live', sha256(url::bytea), url, 'failing', '2026-11-01'
    from unnest(array['https://disabled', 'https://x']) url`;

  await migrate({ url: ownerUrl, schema: "delivery", directory: DIRECTORY });
  const rows = await owner<{ row: string }[]>`
    select row (id, status, next_attempt_at::date, fence, attempts, redelivered, resume_at::date, lease_until)::text as row
    from delivery.webhook_deliveries order by created_at, id`;
  // The columns: name, status, next attempt, fence, attempts, redelivered, resumption and lease.
  expect(rows.map(({ row }) => row)).toEqual([
    "(disabled,disabled,,0,0,f,,)",
    "(due,pending,2026-11-02,2,1,f,,)",
    "(exhausted,exhausted,,8,8,f,,)",
    "(later,pending,2026-11-02,5,4,f,2026-11-09,)",
    "(once,delivered,,1,1,f,,)",
    "(thrice,delivered,,4,3,t,,)",
  ]);
  const urls = await owner`
    select url, reason from delivery.webhook_urls order by url`;
  expect(urls.map((one) => ({ ...one }))).toEqual([
    { url: "https://disabled", reason: "failing" },
    { url: "https://x", reason: "failing" },
  ]);

  // A call of the release before that is under way fails, and its caller tries again.
  const service = stack.use(openPool(url));
  await expect(service`
    insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at, next_attempt_at, ready)
    values ('a', 'due', 'live', '', 'due', now(), now(), true)`).rejects.toThrow(
    "permission denied",
  );
});
