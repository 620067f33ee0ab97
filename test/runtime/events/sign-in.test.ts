/** How a service signs in to NATS: the ways that are accepted, and refusals that it outlives. */
import { rm, writeFile } from "node:fs/promises";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { nkeys } from "nats";
import { natsAt, type NatsCredentials } from "#runtime/events/config.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startNatsCluster } from "../../support/nats-cluster.ts";
import { startTcp } from "../../support/tcp-proxy.ts";
import { busFixture, expectWorking, SOON } from "./bus-fixture.ts";
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

const NONCE = "a-nonce";
/** What a server says first. */
const INFO = `INFO {"server_id":"x","version":"2.9.10","proto":1,"max_payload":1000,"nonce":"${NONCE}","tls_required":false}\r\n`;

const block = (title: string, text: string) =>
  `-----BEGIN ${title}-----\n${text}\n------END ${title}------\n\n`;

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
      await expectWorking(bus);
    };
    await Promise.all(ways.map(signIn));
  });

  it("takes a credentials file, and reads it again when its user has expired", async () => {
    const user = nkeys.createUser();
    const seed = new TextDecoder().decode(user.getSeed());
    /** As the `nsc` tool writes it. */
    const write = (jwt: string) =>
      file("user.creds", block("NATS USER JWT", jwt) + block("USER NKEY SEED", seed));
    const credsFile = await write("first");
    const told: { jwt?: string; sig?: string }[] = [];
    await using server = await startTcp((socket) => {
      socket.write(INFO);
      socket.once("data", (sent) => {
        const [, connect = "{}"] = /^CONNECT (.*)\r\n/.exec(String(sent)) ?? [];
        told.push(JSON.parse(connect) as object);
        socket.end("PONG\r\n-ERR 'User Authentication Expired'\r\n");
      });
    });
    await using bus = busFixture({
      ...natsAt(`nats://${server.host}`),
      credentials: { credsFile },
    });
    const jwt = () => told.at(-1)?.jwt;
    await expect.poll(jwt, SOON).toBe("first");
    const signature = Buffer.from(told[0]?.sig ?? "", "base64url");
    expect(user.verify(Buffer.from(NONCE), signature)).toBe(true);
    await rm(credsFile);
    await expect.poll(bus.logged, SOON).toContain("ENOENT");
    await write("second");
    await expect.poll(jwt, SOON).toBe("second");
  });

  it("speaks TLS with its own certificate to servers of the configured authority only", async () => {
    await using server = await serverWith(tlsLines("verify: true"));
    const tls = { caFile: authority.caFile, ...authority.issue("client") };
    await using stranger = busFixture(natsAt(server.url.replace("nats:", "tls:")));
    await using plain = await serverWith("");
    await using refusing = busFixture({ ...natsAt(plain.url), tls });
    await using bus = busFixture({ ...natsAt(server.url), tls });
    await expectWorking(bus);
    await expect.poll(stranger.logged, SOON).toContain("certificate");
    // A server without TLS is refused before it is sent any credentials.
    await expect.poll(refusing.logged, SOON).toContain("SERVER_OPT_NA");
  });

  it("takes a user and a password, outlives its refusal, and goes on when it is accepted", async () => {
    await using server = await serverWith(user());
    await using bus = busFixture({ ...natsAt(server.url), ...asUser });
    await expectWorking(bus);
    await server.configure("authorization { users: [ { user: media, password: other } ] }");
    const refusals = () => server.nodes[0]?.logs().match(/authentication error/gi)?.length;
    await expect.poll(refusals, SOON).toBeGreaterThan(2);
    await server.configure(user());
    await expectWorking(bus);
  });

  it("outlives servers that break off or talk nonsense at any point", async () => {
    await using server = await serverWith(tlsLines());
    const info = INFO.replace("false", "true");
    const faults: ((socket: Socket) => void)[] = [
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end("INFO {broken\r\n"),
      (socket) => void socket.write(info, () => setImmediate(() => socket.resetAndDestroy())),
      (socket) =>
        void socket.write(info, () => socket.once("data", () => socket.resetAndDestroy())),
      (socket) => void socket.write(INFO, () => socket.resetAndDestroy()),
    ];
    let connections = 0;
    await using proxy = await startTcp((socket) => {
      const fault = faults[connections++];
      if (fault) return fault(socket);
      const { port, hostname } = new URL(server.url);
      const target = connectTcp(Number(port), hostname);
      target.on("error", () => socket.destroy());
      socket.pipe(target).pipe(socket);
      return undefined;
    });
    const tls = { caFile: authority.caFile };
    await using bus = busFixture({ ...natsAt(`nats://${proxy.host}`), tls });
    await expectWorking(bus);
    expect(connections).toBeGreaterThan(faults.length);
  });
});
