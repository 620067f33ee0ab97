/** The four services on a test database, with valid tokens of every caller and invalid ones. */
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { SignJWT, importJWK } from "jose";
import { inject } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { natsAt } from "#runtime/events/config.ts";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import type { ServiceName } from "#runtime/service.ts";
import { generateIdentity, tokenIssuer } from "#runtime/rpc/service-token.ts";
import { openIdentities } from "../../../services/ops/identities.ts";
import type { Identities } from "../../../services/ops/identities.ts";
import { SERVICES } from "../../../services/ops/provision.ts";
import { readConfig } from "../../../services/standalone/config.ts";
import { ANY_PORTS, startServices } from "../../../services/standalone/services.ts";
import { testDatabases } from "../../support/database.ts";
import { temporaryFolder } from "../../support/whole-service.ts";
import type { KnownValues } from "./messages.ts";
import { openProtocols } from "./protocols.ts";
import type { Protocols } from "./protocols.ts";

/** A caller that is not one of our services. */
export const FOREIGN_CALLER = "partner";
export const CALLERS = [...SERVICES, "ops", FOREIGN_CALLER] as const;
type Caller = (typeof CALLERS)[number];

const TOKEN_SECONDS = 3_600;

export type ServicesUnderTest = AsyncDisposable & {
  urls: Record<ServiceName, string>;
  protocols: Record<ServiceName, Protocols>;
  tokens: Record<Caller, string>;
  /** Invalid Authorization headers, by what is wrong with them; undefined sends none. */
  badAuthorizations: Record<string, string | undefined>;
  /** The id of an account with Tokens, and the ids of the models. */
  known: KnownValues;
  /** What the services logged as errors. */
  logged: string[];
};

export async function startServicesUnderTest(): Promise<ServicesUnderTest> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const databases = stack.use(await testDatabases());
  const identities = await openIdentities(join(folder.path, "keys"));
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
  const opened = SERVICES.map((name) => {
    const protocols = openProtocols(rpcUrls[name]);
    stack.defer(() => protocols.close());
    return [name, protocols] as const;
  });
  const protocols = Object.fromEntries(opened) as ServicesUnderTest["protocols"];
  const tokens = await tokensOf(identities);
  const known = await knownValues(protocols, tokens);
  const running = stack.move();
  return {
    urls: rpcUrls,
    protocols,
    tokens,
    badAuthorizations: await badAuthorizations(identities, tokens),
    known,
    logged,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function tokensOf(identities: Identities): Promise<ServicesUnderTest["tokens"]> {
  const issue = async (caller: Caller) => {
    const key = identities.keys[caller === FOREIGN_CALLER ? "ops" : caller];
    return [caller, await tokenIssuer(key, systemClock)(caller, TOKEN_SECONDS)];
  };
  return Object.fromEntries(await Promise.all(CALLERS.map(issue))) as ServicesUnderTest["tokens"];
}

async function badAuthorizations(
  { keys }: Identities,
  tokens: ServicesUnderTest["tokens"],
): Promise<ServicesUnderTest["badAuthorizations"]> {
  const signed = async (key: typeof keys.ops, caller: string, ttlSeconds = TOKEN_SECONDS) =>
    `Bearer ${await tokenIssuer(key, systemClock)(caller, ttlSeconds)}`;
  const { privateKey: untrusted } = await generateIdentity("ops");
  const other = new SignJWT({}).setProtectedHeader({ alg: "EdDSA", kid: "ops" }).setSubject("ops");
  const key = await importJWK(keys.ops, "EdDSA");
  const [head = "", body = ""] = tokens.ops.split(".");
  const unsigned = Buffer.from(JSON.stringify({ alg: "none", kid: "ops" })).toString("base64url");
  return {
    "no token": undefined,
    "an empty token": "Bearer ",
    "another scheme": `Basic ${tokens.ops}`,
    garbage: "Bearer garbage",
    "an expired token": await signed(keys.ops, "ops", -1),
    "a token signed by a key that is not trusted": await signed(untrusted, "ops"),
    "a token that names another service than its signer": await signed(keys.gateway, "generation"),
    "a token of operations that names a service": await signed(keys.ops, "generation"),
    "a token for another audience": `Bearer ${await other.setAudience("x").setExpirationTime("1h").sign(key)}`,
    "a token that never expires": `Bearer ${await new SignJWT({}).setProtectedHeader({ alg: "EdDSA", kid: "ops" }).setSubject("ops").setAudience("media").sign(key)}`,
    "a token without its signature": `Bearer ${head}.${body}.`,
    "a token that says it needs no signature": `Bearer ${unsigned}.${body}.`,
  };
}

async function knownValues(
  protocols: ServicesUnderTest["protocols"],
  tokens: ServicesUnderTest["tokens"],
): Promise<KnownValues> {
  const headers = { authorization: `Bearer ${tokens.ops}` };
  const accounts = createClient(AccountService, protocols.gateway.transports.connect);
  const billing = createClient(BillingService, protocols.billing.transports.connect);
  const generation = createClient(GenerationService, protocols.generation.transports.connect);
  const { account } = await accounts.createAccount({ name: "Contract" }, { headers });
  const accountId = account?.id ?? "";
  const owner = { accountId, mode: Mode.LIVE };
  await billing.recharge({ ...owner, tokens: 1_000_000n }, { headers });
  const { models } = await generation.listModels(owner, { headers });
  return { account_id: [accountId], model: models.map(({ id }) => id) };
}
