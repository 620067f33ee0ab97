/** What DATABASE_URL may say: hosts, TLS, PgBouncer. */
import { fileURLToPath } from "node:url";
import { parseDatabaseUrl, urlForOtherClients } from "#runtime/postgres/database-url.ts";

const FILE = fileURLToPath(import.meta.url);

describe("a database URL", () => {
  it("names one host, with port 5432 unless it says otherwise", () => {
    expect(parseDatabaseUrl("postgres://role:p%40ss@db/media")).toEqual({
      hosts: [{ host: "db", port: 5432 }],
      database: "media",
      user: "role",
      password: "p@ss",
      tls: undefined,
      isPooled: false,
    });
  });

  it("names several hosts, IPv6 among them", () => {
    const url = "postgresql://role@one:1,two,[::1]:3/media?target_session_attrs=read-write";
    expect(parseDatabaseUrl(url).hosts).toEqual([
      { host: "one", port: 1 },
      { host: "two", port: 5432 },
      { host: "::1", port: 3 },
    ]);
  });

  it.each([
    ["sslmode=require", { rejectUnauthorized: false }],
    [`sslmode=require&sslrootcert=${FILE}`, { rejectUnauthorized: true, ca: expect.anything() }],
    ["sslmode=verify-ca", { rejectUnauthorized: true, checkServerIdentity: expect.anything() }],
    ["sslmode=verify-full&sslrootcert=system", { rejectUnauthorized: true }],
  ])("asks for TLS with %s", (parameters, tls) => {
    expect(parseDatabaseUrl(`postgres://role@db/media?${parameters}`).tls).toMatchObject(tls);
  });

  it.each([
    ["mysql://role@db/media", "must be a postgres:// URL"],
    ["postgres://role@/media", "must name a host, or hosts separated by commas"],
    ["postgres://role@db", "must name a database"],
    ["postgres://role:%zz@db/media", "must be a URL; special characters of a password"],
    ["postgres://role@db/media?channel_binding=require", "has the parameter channel_binding"],
    ["postgres://role@db/media?sslmode=prefer", "needs sslmode disable, require"],
    ["postgres://role@db/media?sslmode=require&sslrootcert=/none", "names a file in sslrootcert"],
    ["postgres://role@db/media?target_session_attrs=standby", "has target_session_attrs other"],
  ])("is refused where it cannot be used: %s", (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
  });

  it("is given to other clients with one host and what they know", () => {
    const url = "postgres://role:p%40ss@one:1,[::1]:3/media?sslmode=require&pgbouncer=true";
    expect(urlForOtherClients(url, { host: "::1", port: 3 })).toBe(
      "postgres://role:p%40ss@[::1]:3/media?sslmode=require",
    );
  });
});
