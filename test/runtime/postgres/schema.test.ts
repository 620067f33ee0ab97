/** `gen/schema` has, for each service, what its migrations and functions make (`npm run schema`). */
import { inject } from "vitest";
import type { Sql } from "#runtime/postgres/connect.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { openPool, TEMPLATE } from "../../support/database.ts";

it.each(SERVICES)(
  "the committed gen/schema/%s.sql is what its migrations and functions make",
  async (service) => {
    await using sql = openPool(new URL(`/${TEMPLATE}`, inject("superuserUrl")).href);
    const file = `../../../gen/schema/${service}.sql`;
    await expect(await dumpSchema(sql, service)).toMatchFileSnapshot(file);
  },
);

const HEADING =
  "-- The schema as it is, for reading. `npm run schema` writes it; change migrations/ and functions/ instead.";

/** The tables of the migration tool and of the function runner are no part of a service's own schema. */
const BOOKKEEPING = ["schema_migrations", "schema_functions"];

type Line = { line: string };
type Table = { oid: number; name: string; kind: string; partitions: string; options: string };

/** One schema as SQL, from the catalogs alone: tables with all that is theirs, then the signatures of the functions. */
async function dumpSchema(sql: Sql, schema: string): Promise<string> {
  const tables = await sql<Table[]>`
    select oid, format('%I.%I', ${schema}::text, relname) as name,
      case relpersistence when 'u' then 'unlogged table' else 'table' end as kind,
      coalesce(pg_get_partkeydef(oid), '') as partitions,
      coalesce(array_to_string(reloptions, ', '), '') as options
    from pg_class
    where relnamespace = ${schema}::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all(${BOOKKEEPING}::text[])
    order by relname`;
  const parts = [HEADING];
  for (const table of tables) {
    parts.push(await tableText(sql, table));
    const others = [...sorted(await indexes(sql, table)), ...sorted(await grants(sql, table))];
    if (others.length > 0) parts.push(others.join("\n"));
  }
  const signatures = sorted(await functions(sql, schema));
  parts.push(...signatures.map((text) => text.replaceAll(/^/gm, "-- ")));
  return `${parts.join("\n\n")}\n`;
}

/** Not by the database: how it orders text depends on its collation. */
function sorted(lines: readonly Line[]): string[] {
  return lines.map(({ line }) => line).toSorted();
}

async function tableText(sql: Sql, table: Table): Promise<string> {
  const { oid, name, kind, partitions, options } = table;
  const columns = await sql<Line[]>`
    select concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      case when a.attidentity = 'a' then 'generated always as identity' end,
      'default ' || pg_get_expr(d.adbin, d.adrelid), case when a.attnotnull then 'not null' end) as line
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped
    order by a.attnum`;
  const constraints = await sql<Line[]>`
    select format('constraint %I %s', conname, pg_get_constraintdef(oid)) as line
    from pg_constraint
    where conrelid = ${oid} and contype <> 'n'
    order by conname`;
  const lines = [...columns, ...constraints].map(({ line }) => `  ${line}`);
  const by = partitions === "" ? "" : ` partition by ${partitions.toLowerCase()}`;
  const suffix = `${by}${options === "" ? "" : ` with (${options})`}`;
  return `create ${kind} ${name} (\n${lines.join(",\n")}\n)${suffix};`;
}

/** Indexes that no constraint makes, and triggers. */
async function indexes(sql: Sql, { oid }: Table): Promise<Line[]> {
  return sql<Line[]>`
    select pg_get_indexdef(i.indexrelid) || ';' as line
    from pg_index i
    where i.indrelid = ${oid}
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = i.indrelid)
    union all
    select pg_get_triggerdef(t.oid) || ';' from pg_trigger t where t.tgrelid = ${oid} and not t.tgisinternal`;
}

async function grants(sql: Sql, { oid, name }: Table): Promise<Line[]> {
  return sql<Line[]>`
    select format('grant %s on %s to %s;',
      string_agg(lower(g.privilege_type), ', ' order by g.privilege_type collate "C"), ${name}::text,
      g.grantee::regrole) as line
    from pg_class r
    cross join lateral aclexplode(r.relacl) g
    where r.oid = ${oid} and g.grantee <> r.relowner
    group by g.grantee
    union all
    select format('grant %s (%s) on %s to %s;', lower(g.privilege_type),
      string_agg(quote_ident(a.attname), ', ' order by a.attname), ${name}::text, g.grantee::regrole)
    from pg_attribute a
    cross join lateral aclexplode(a.attacl) g
    where a.attrelid = ${oid}
    group by g.privilege_type, g.grantee`;
}

async function functions(sql: Sql, schema: string): Promise<Line[]> {
  return sql<Line[]>`
    select concat_ws(E'\n  ',
      format('function %I.%I(%s)', ${schema}::text, p.proname, pg_get_function_identity_arguments(p.oid)),
      'returns ' || pg_get_function_result(p.oid),
      case when p.prosecdef then 'security definer' end,
      'set ' || array_to_string(p.proconfig, E'\n  set '),
      'executed by ' || callers.names) as line
    from pg_proc p
    cross join lateral (
      select string_agg(case g.grantee when 0 then 'public' else g.grantee::regrole::text end, ', '
        order by g.grantee) as names
      from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
      where g.grantee <> p.proowner
    ) callers
    where p.pronamespace = ${schema}::regnamespace`;
}
