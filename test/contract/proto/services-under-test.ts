/** The four services on a test database, with valid tokens of every caller and invalid ones. */
import { join } from "node:path";
import { Http2SessionManager } from "@connectrpc/connect-node";
import { SignJWT, importJWK } from "jose";
import { inject } from "vitest";
import { natsAt } from "#runtime/events/config.ts";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { generateIdentity, tokenIssuer } from "#runtime/rpc/service-token.ts";
import { openIdentities, type Identities } from "../../../services/ops/setup/identities.ts";
import { SERVICES } from "../../../services/ops/setup/provision.ts";
import { readConfig } from "../../../services/standalone/settings/config.ts";
import { ANY_PORTS, startServices } from "../../../services/standalone/processes/services.ts";
import { testDatabases } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A caller that is not one of our services. */
export const FOREIGN_CALLER = "partner";
export const CALLERS = [...SERVICES, "ops", FOREIGN_CALLER] as const;
type Caller = (typeof CALLERS)[number];

/** One session for all calls of a test. */
export type Server = { baseUrl: string; sessionManager: Http2SessionManager };

export async function startServicesUnderTest() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const databases = stack.use(await testDatabases());
  const { keys } = await openIdentities(join(folder.path, "keys"));
  const logged: string[] = [];
  const log = createLog("services", "error", { write: (line) => void logged.push(line) });
  const config = readConfig({
    DATA_DIR: folder.path,
    SIMULATOR_RENDER: "fixture",
    SIMULATOR_PACE_MS: "0",
    LOG_LEVEL: "error",
  });
  const setup = {
    databases: databases.urls,
    nats: natsAt(inject("natsUrl")),
    port: 0,
    dataDir: folder.path,
    ports: ANY_PORTS,
  };
  const { rpcUrls } = stack.use(await startServices(config, setup, log));
  const servers = SERVICES.map((name): [ServiceName, Server] => {
    const [baseUrl] = rpcUrls[name];
    const sessionManager = new Http2SessionManager(baseUrl);
    stack.defer(() => sessionManager.abort());
    return [name, { baseUrl, sessionManager }];
  });
  const running = stack.move();
  return {
    servers: Object.fromEntries(servers) as Record<ServiceName, Server>,
    /** The Authorization header of a caller for one of the services. */
    authorization: async (caller: Caller, server: ServiceName) => {
      // The operator's key signs for callers that have none.
      const by = caller === FOREIGN_CALLER ? keys.ops : keys[caller];
      return `Bearer ${await tokenIssuer(by, systemClock)({ caller, audience: server })}`;
    },
    badAuthorizations: (server: ServiceName) => badAuthorizations(keys, server),
    /** What the services logged as errors. */
    logged,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Invalid Authorization headers for a service, by what is wrong with them; undefined sends none. */
async function badAuthorizations(
  keys: Identities["keys"],
  server: ServiceName,
): Promise<Record<string, string | undefined>> {
  const { privateKey: untrusted } = await generateIdentity("ops");
  const key = await importJWK(keys.ops, "EdDSA");
  const now = Math.floor(systemClock.now().getTime() / 1000);
  const header = { alg: "EdDSA", kid: keys.ops.kid ?? "" };
  const other = SERVICES.find((name) => name !== server) ?? "billing";
  const issued = async (by: typeof untrusted, caller: string, audience: string = server) =>
    `Bearer ${await tokenIssuer(by, systemClock)({ caller, audience })}`;
  const signed = async (claims: Record<string, unknown>) => {
    const all = { sub: "ops", aud: server, iat: now, exp: now + 3_600, ...claims };
    return `Bearer ${await new SignJWT(all).setProtectedHeader(header).sign(key)}`;
  };
  const good = await issued(keys.ops, "ops");
  const [, body = ""] = good.split(".");
  const unsigned = Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url");
  return {
    "no token": undefined,
    "an empty token": "Bearer ",
    "another scheme": good.replace("Bearer", "Basic"),
    garbage: "Bearer garbage",
    "an expired token": await signed({ exp: now - 1 }),
    "a token that was issued five minutes ago": await signed({ iat: now - 300 }),
    "a token that is issued in the future": await signed({ iat: now + 3_000 }),
    "a token that does not say when it was issued": await signed({ iat: undefined }),
    "a token that never expires": await signed({ exp: undefined }),
    "a token for another service": await issued(keys.ops, "ops", other),
    "a token for nobody": await signed({ aud: undefined }),
    "a token signed by a key that is not trusted": await issued(untrusted, "ops"),
    "a token that names another service than its signer": await issued(keys.gateway, "generation"),
    "a token of operations that names a service": await issued(keys.ops, "generation"),
    "a token without its signature": good.slice(0, good.lastIndexOf(".") + 1),
    "a token that says it needs no signature": `Bearer ${unsigned}.${body}.`,
  };
}
