/** Connections with TLS: who is trusted, and what the error says when the server is not. */
import { mkdir, readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";
import type { Limits } from "#runtime/postgres/limits.ts";
import { createAuthority, type Certificate } from "../../support/certificates.ts";
import { startDatabaseProxy, startTcp } from "../../support/tcp-proxy.ts";
import { openPool } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const tls = forTests(async (stack) => {
  const { path: directory } = stack.use(await temporaryFolder());
  const createIn = async (name: string) => {
    await mkdir(join(directory, name));
    return createAuthority(join(directory, name));
  };
  const authority = await createIn("trusted");
  const through = async ({ certFile, keyFile }: Certificate) => {
    const files = { cert: await readFile(certFile, "utf8"), key: await readFile(keyFile, "utf8") };
    const proxy = stack.use(await startDatabaseProxy(inject("superuserUrl"), files));
    return proxy.through(inject("superuserUrl"));
  };
  return {
    caFile: authority.caFile,
    otherCaFile: (await createIn("unknown")).caFile,
    url: await through(authority.issue("server")),
    urlOfOther: await through(authority.issue("other", { hosts: "DNS:db.example" })),
  };
});

/** "connected", or the error's message. */
async function outcome(server: string, parameters: string, limits?: Partial<Limits>) {
  await using sql = openPool(`${server}?${parameters}`, 1, limits);
  return await sql`select 1`.then(
    () => "connected",
    (error: Error) => error.message,
  );
}

const urlOf = ({ host }: { host: string }) => `postgres://role@${host}/media`;

describe("TLS", () => {
  it("is used with sslmode=require, whoever has signed the server's certificate", async () => {
    expect(await outcome(tls.url, "sslmode=require")).toBe("connected");
    expect(await outcome(tls.urlOfOther, "sslmode=require")).toBe("connected");
  });

  it("accepts a certificate of the given authority for the host, by address and by name", async () => {
    const parameters = `sslmode=verify-full&sslrootcert=${tls.caFile}`;
    expect(await outcome(tls.url, parameters)).toBe("connected");
    expect(await outcome(tls.url.replace("127.0.0.1", "localhost"), parameters)).toBe("connected");
  });

  it("refuses a certificate of an authority that is not trusted, and says of which host", async () => {
    for (const root of ["", `&sslrootcert=${tls.otherCaFile}`]) {
      const message = await outcome(tls.url, `sslmode=verify-full${root}`);
      expect(message).toContain(`TLS with ${new URL(tls.url).host} failed: unable to verify`);
    }
  });

  it("refuses a certificate for another host, except with verify-ca", async () => {
    const root = `sslrootcert=${tls.caFile}`;
    const message = await outcome(tls.urlOfOther, `sslmode=verify-full&${root}`);
    expect(message).toContain(
      `TLS with ${new URL(tls.urlOfOther).host} failed: Hostname/IP does not`,
    );
    expect(message).toContain("127.0.0.1 is not in the cert's list");
    expect(await outcome(tls.urlOfOther, `sslmode=verify-ca&${root}`)).toBe("connected");
  });

  it("is never left out by a server that does not offer it", async () => {
    const message = await outcome(inject("superuserUrl"), "sslmode=require");
    expect(message).toContain("does not offer TLS");
  });

  it("is given up, with the name of the server, when that falls silent before it has begun", async () => {
    await using silent = await startTcp(() => {});
    const message = await outcome(urlOf(silent), "sslmode=disable", { connect: 100 });
    expect(message).toContain(`Postgres cannot be reached: ${silent.host} took a connection`);
    expect(message).not.toContain("undefined");
  });

  it("is given up when the server falls silent in the handshake, or hangs up", async () => {
    for (const [answer, reason] of [
      [(socket: Socket) => socket.write("S"), "within 300 ms"],
      [(socket: Socket) => socket.end("S"), "disconnected before secure TLS connection"],
    ] as const) {
      await using server = await startTcp((socket) => socket.once("data", () => answer(socket)));
      expect(await outcome(urlOf(server), "sslmode=require", { connect: 300 })).toContain(reason);
    }
  });
});
