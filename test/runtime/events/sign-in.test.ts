/** How a service signs in to NATS: the ways that are accepted, and refusals that it outlives. */
import { rm, writeFile } from "node:fs/promises";
import { createServer, connect as connectTcp, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { nkeys } from "nats";
import { describe, expect, it } from "vitest";
import { natsAt, type NatsCredentials } from "#runtime/events/config.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startNatsCluster } from "../../support/nats-cluster.ts";
import { busFixture, SOON } from "./bus-fixture.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const directory = folderForTests();

const authority = createAuthority(directory);

const serverWith = (lines: string) => startNatsCluster({ size: 1, lines });
const user = (more = "") => `authorization { users: [ { user: media, password: right${more} } ] }`;
const asUser = { credentials: { user: "media", pass: "right" } };

function tlsLines(more = ""): string {
  const { certFile, keyFile } = authority.issue("server");
  const files = `cert_file: "${certFile}", key_file: "${keyFile}", ca_file: "${authority.caFile}"`;
  return `tls { ${files}, ${more} }`;
}

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

describe("signing in to the event stream", () => {
  it("takes a token or an NKey", async () => {
    const key = nkeys.createUser();
    const nkeyFile = await file("user.nk", key.getSeed());
    const ways: [lines: string, credentials: NatsCredentials][] = [
      [`authorization { users: [ { nkey: ${key.getPublicKey()} } ] }`, { nkeyFile }],
      ["authorization { token: right }", { token: "right" }],
    ];
    const signIn = async ([lines, credentials]: (typeof ways)[number]) => {
      await using server = await serverWith(lines);
      await using bus = busFixture({ ...natsAt(server.url), credentials });
      await expect.poll(bus.probe(), SOON).toBe(true);
    };
    await Promise.all(ways.map(signIn));
  });

  it("takes a credentials file, and reads it again when its user has expired", async () => {
    const operator = createNatsOperator();
    await using server = await serverWith(operator.lines);
    const path = await file("user.creds", operator.credentials(2));
    await using bus = busFixture({
      ...natsAt(server.url),
      credentials: { credsFile: path },
    });
    await expect.poll(bus.probe(), SOON).toBe(true);
    await expect.poll(bus.logged, SOON).toContain("AUTHENTICATION_EXPIRED");
    await rm(path);
    await expect.poll(bus.logged, SOON).toContain("ENOENT");
    await file("user.creds", operator.credentials());
    await expect.poll(bus.probe(), SOON).toBe(true);
  });

  it("speaks TLS with its own certificate to servers of the configured authority only", async () => {
    await using server = await serverWith(tlsLines("verify: true"));
    const tls = { caFile: authority.caFile, ...authority.issue("client") };
    await using stranger = busFixture(natsAt(server.url.replace("nats:", "tls:")));
    await using plain = await serverWith("");
    await using refusing = busFixture({ ...natsAt(plain.url), tls });
    await using bus = busFixture({ ...natsAt(server.url), tls });
    await expect.poll(bus.probe(), SOON).toBe(true);
    await expect.poll(stranger.logged, SOON).toContain("certificate");
    // A server without TLS is refused before it is sent any credentials.
    await expect.poll(refusing.logged, SOON).toContain("SERVER_OPT_NA");
  });

  it("takes a user and a password, outlives its refusal, and goes on when it is accepted", async () => {
    await using server = await serverWith(user());
    await using bus = busFixture({ ...natsAt(server.url), ...asUser });
    await expect.poll(bus.probe(), SOON).toBe(true);
    await server.configure("authorization { users: [ { user: media, password: other } ] }");
    const refusals = () => server.nodes[0]?.output().match(/authentication error/gi)?.length;
    await expect.poll(refusals, SOON).toBeGreaterThan(2);
    await server.configure(user());
    await expect.poll(bus.probe(), SOON).toBe(true);
  });

  it("outlives missing permissions, and goes on when they are given", async () => {
    await using server = await serverWith(
      user(`, permissions: { publish: { deny: ">" }, subscribe: { deny: ">" } }`),
    );
    await using bus = busFixture({ ...natsAt(server.url), ...asUser });
    await expect.poll(bus.logged, SOON).toContain("PERMISSIONS_VIOLATION");
    bus.publish();
    await server.configure(user());
    await expect.poll(bus.probe(), SOON).toBe(true);
  });

  it("outlives servers that break off or talk nonsense at any point", async () => {
    await using server = await serverWith(tlsLines());
    const info = `INFO {"server_id":"x","version":"2.9.10","proto":1,"max_payload":1000,"tls_required":true}\r\n`;
    const faults: ((socket: Socket) => void)[] = [
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end("INFO {broken\r\n"),
      (socket) => void socket.write(info, () => setImmediate(() => socket.resetAndDestroy())),
      (socket) =>
        void socket.write(info, () => socket.once("data", () => socket.resetAndDestroy())),
      (socket) => void socket.write(info.replace("true", "false"), () => socket.resetAndDestroy()),
    ];
    let connections = 0;
    const proxy = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      const fault = faults[connections++];
      if (fault) return fault(socket);
      const { port, hostname } = new URL(server.url);
      const target = connectTcp(Number(port), hostname);
      target.on("error", () => socket.destroy());
      socket.pipe(target).pipe(socket);
      return undefined;
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    {
      await using bus = busFixture({
        ...natsAt(`nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`),
        tls: { caFile: authority.caFile },
      });
      await expect.poll(bus.probe(), SOON).toBe(true);
      expect(connections).toBeGreaterThan(faults.length);
    }
    await new Promise((resolve) => proxy.close(resolve));
  });
});

const DAY_SECONDS = 86_400;

const CONNECTIONS = ["subs", "conn", "leaf", "imports", "exports", "data", "payload"];
const STREAMS = ["mem_storage", "disk_storage", "streams", "consumer"];
const unlimited = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, -1]));

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** An operator, an account and users of a NATS server, as the `nsc` tool makes them. */
function createNatsOperator() {
  const operator = nkeys.createOperator();
  const [system, account] = [nkeys.createAccount(), nkeys.createAccount()];
  const limits = { ...unlimited([...CONNECTIONS, ...STREAMS]), wildcards: true };
  const jwtOf = (key: KeyPair, name: string, more: object) =>
    sign(operator, key, name, { type: "account", version: 2, ...more });
  return {
    /** Lines of the server's configuration. */
    lines: [
      `operator: ${sign(operator, operator, "operator", { type: "operator", version: 2 })}`,
      `system_account: ${system.getPublicKey()}`,
      "resolver: MEMORY",
      "resolver_preload: {",
      `  ${system.getPublicKey()}: ${jwtOf(system, "system", { limits: unlimited(CONNECTIONS) })}`,
      `  ${account.getPublicKey()}: ${jwtOf(account, "account", { limits })}`,
      "}",
    ].join("\n"),
    /** The text of a user's credentials file; the user may do everything for that long. */
    credentials(validSeconds = DAY_SECONDS) {
      const user = nkeys.createUser();
      const rights = { ...unlimited(["subs", "data", "payload"]), pub: {}, sub: {} };
      const claims = { type: "user", version: 2, ...rights };
      const jwt = sign(account, user, "user", claims, validSeconds);
      const seed = new TextDecoder().decode(user.getSeed());
      const block = (title: string, text: string) =>
        `-----BEGIN ${title}-----\n${text}\n------END ${title}------\n\n`;
      return block("NATS USER JWT", jwt) + block("USER NKEY SEED", seed);
    },
  };
}

function sign(
  issuer: KeyPair,
  subject: KeyPair,
  name: string,
  nats: object,
  validSeconds = DAY_SECONDS,
): string {
  const now = Math.floor(Date.now() / 1_000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = encode({ typ: "JWT", alg: "ed25519-nkey" });
  const claims = encode({
    jti: name,
    iat: now,
    exp: now + validSeconds,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats,
  });
  const signature = issuer.sign(new TextEncoder().encode(`${header}.${claims}`));
  return `${header}.${claims}.${Buffer.from(signature).toString("base64url")}`;
}
