/** Drops one guard of the ledger at a time and shows that a test fails for each. */
import { spawnSync } from "node:child_process";

/**
 * SQL that takes one guard away from the migrated template database. The conditions under which a batch is decided
 * as a whole are not among them: without one, a constraint refuses the batch and its moves are made one by one.
 */
const MUTATIONS: Record<string, string> = {
  "unique entry of a hold": `do $$ declare name text; begin
    select conname into name from pg_constraint where conrelid = 'billing.entries'::regclass and contype = 'u'
      and pg_get_constraintdef(oid) like '%generation_id, attempt, type%';
    execute 'alter table billing.entries drop constraint ' || quote_ident(name); end $$`,
  "available is not negative": dropChecks("balances", "available >= 0"),
  "buckets add up": dropChecks("balances", "= issued"),
  "entries make nothing out of nothing": dropChecks("entries", "issued_change"),
  "a reserve is covered": inFunction("move_one_by_one", "balance.available < move.tokens", "false"),
  "open holds are limited": inFunction(
    "move_one_by_one",
    "move.max_open_holds > 0 and",
    "false and",
  ),
  "a release leaves a tombstone": inFunction(
    "move_one_by_one",
    "elsif move.kind = ''release'' and not found then",
    "elsif move.kind = ''release'' and not found and false then",
  ),
  "a hold is resolved once": inFunction("move_one_by_one", "hold.state = ''held''", "true"),
  "a repeated reserve has the same price": inFunction(
    "move_one_by_one",
    "hold.tokens <> move.tokens",
    "false",
  ),
  "a balance is locked": inFunction("lock_balance", "for update", ""),
  "a reference counts once": inFunction("recharge", "if found then", "if false then"),
  "the role cannot write entries": "grant update, delete on billing.entries to media_billing",
};

let survived = 0;
for (const [guard, sql] of Object.entries(MUTATIONS)) {
  const { status, stdout } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "test/billing", "--bail=1"],
    { env: { ...process.env, MEDIA_TEST_MUTATION: sql, LEDGER_SECONDS: "5" }, encoding: "utf8" },
  );
  const isRed = status !== 0 && /Tests .*failed/.test(stripped(stdout));
  if (!isRed) survived += 1;
  process.stdout.write(`${isRed ? "red  " : "GREEN"} without: ${guard}\n`);
}
process.stdout.write(`${Object.keys(MUTATIONS).length - survived} passed, ${survived} failed\n`);
if (survived > 0) process.exitCode = 1;

function dropChecks(table: string, part: string): string {
  return `do $$ declare name text; begin
    for name in select conname from pg_constraint where conrelid = 'billing.${table}'::regclass
      and contype = 'c' and pg_get_constraintdef(oid) like '%${part}%'
    loop execute 'alter table billing.${table} drop constraint ' || quote_ident(name); end loop; end $$`;
}

function inFunction(name: string, from: string, to: string): string {
  return `do $do$ declare before text; after text; begin
    select pg_get_functiondef(oid) into before from pg_proc
      where proname = '${name}' and pronamespace = 'billing'::regnamespace;
    after := replace(before, '${from}', '${to}');
    if after = before then raise exception 'nothing to mutate in ${name}'; end if;
    execute after; end $do$`;
}

function stripped(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[0-9;]*m/g, "");
}
