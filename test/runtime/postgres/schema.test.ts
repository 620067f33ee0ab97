/** `gen/schema` has, for each service, what its migrations and functions make (`npm run schema`). */
import postgres from "postgres";
import { describe, expect, inject, it } from "vitest";
import { SERVICES } from "../../../services/ops/setup/provision.ts";
import { TEMPLATE } from "../../support/database.ts";
import { dumpSchema } from "../../support/schema-dump.ts";

describe("the committed schema of each service", () => {
  it.each(SERVICES)(
    "gen/schema/%s.sql is what its migrations and functions make",
    async (service) => {
      const url = new URL(inject("superuserUrl"));
      url.pathname = `/${TEMPLATE}`;
      const sql = postgres(url.href, { max: 1, onnotice: () => {} });
      try {
        const file = `../../../gen/schema/${service}.sql`;
        await expect(await dumpSchema(sql, service)).toMatchFileSnapshot(file);
      } finally {
        await sql.end();
      }
    },
  );
});
