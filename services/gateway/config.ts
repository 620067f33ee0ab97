/** The gateway's settings; the only reader of its environment. */
import { readCidrs, readEgressAllow } from "#runtime/address.ts";
import { asSecret, envReader, type Env, type EnvReader } from "#runtime/env.ts";
import { readPem } from "#runtime/rpc/tls.ts";
import { readServiceConfig, type PeerUrls } from "#runtime/service/service.ts";
import { isPlainLoopback } from "./domain/requests.ts";
import type { OidcConfig } from "./dashboard/session/auth.ts";
import { readMail } from "./accounts/mail/mailer.ts";

export type GatewayConfig = ReturnType<typeof readConfig>;

/** Reads the configuration; throws one error that names every missing or invalid variable. */
export function readConfig(env: Env) {
  const reader = envReader(env);
  const config = {
    ...readServiceConfig(reader),
    port: reader.integer("PORT", 8080, 0, 65_535),
    publicHost: reader.string("PUBLIC_HOST", "127.0.0.1"),
    /** The base of the service's own URLs; http(s)://localhost:port when unset. */
    publicUrl: reader.optional("PUBLIC_URL") && reader.url("PUBLIC_URL"),
    /** Storage keys are appended to this URL after a slash; /assets under the public URL when unset. */
    assetBaseUrl: reader.optional("ASSET_BASE_URL") && reader.url("ASSET_BASE_URL"),
    /** A peer in the same process has none. */
    generationUrl: reader.urls("GENERATION_URL") as PeerUrls | undefined,
    billingUrl: reader.urls("BILLING_URL") as PeerUrls | undefined,
    deliveryUrl: reader.urls("DELIVERY_URL") as PeerUrls | undefined,
    deliveryAssetsUrls: reader.urls("DELIVERY_ASSETS_URL"),
    /** Non-public address blocks that clients' URLs may name; for development only. */
    egressAllow: readEgressAllow(reader),
    /** PEM texts; the public port speaks plain HTTP when unset. */
    tls: readPem(reader, { cert: "TLS_CERT", key: "TLS_KEY" }),
    /** Signs session cookies; must be the same for all replicas. */
    authSecret: asSecret(reader, "AUTH_SECRET", reader.string("AUTH_SECRET")),
    ...readTuning(reader),
    /** One of so many successful reads is logged. */
    readsPerLogLine: reader.integer("LOG_READS_ONE_IN", 1, 1, 1_000_000),
  };
  if (reader.isProduction) checkProduction(reader, config);
  return reader.done(config);
}

/** Settings that `npm start` takes, too. `mailDirectory` is where mails are written unless they are sent. */
export function readTuning(reader: EnvReader, mailDirectory?: string) {
  return {
    /** Addresses of the proxies whose X-Forwarded-For is trusted. */
    trustedProxies: readCidrs(reader, "TRUSTED_PROXIES", ["loopback"]),
    // Closed in production unless it is opened: test access costs the operator, not the user.
    signUp: reader.oneOf(
      "SIGN_UP",
      ["open", "invitation"],
      reader.isProduction ? "invitation" : "open",
    ),
    oidc: readOidc(reader),
    mail: readMail(reader, mailDirectory),
    /** How many days API requests are kept for their account; 0: none are recorded. */
    requestLogDays: reader.integer("REQUEST_LOG_DAYS", 30, 0, 366),
    /** What a live Token costs in money; undefined: no money is shown. */
    tokenPrice: readTokenPrice(reader),
    /** What the operator tells its users in the documentation. */
    notices: {
      supportContact: reader.optional("SUPPORT_CONTACT"),
      statusUrl: reader.optional("STATUS_URL") && reader.url("STATUS_URL"),
      termsUrl: reader.optional("TERMS_URL") && reader.url("TERMS_URL"),
      privacyUrl: reader.optional("PRIVACY_URL") && reader.url("PRIVACY_URL"),
      dataRegion: reader.optional("DATA_REGION"),
    },
  };
}

/**
 * What can be known at the start: without TLS here there is a proxy that ends it, and only its named addresses tell
 * clients apart. Cookies and API keys never go over plain HTTP, except on one machine.
 */
function checkProduction(reader: EnvReader, config: GatewayConfig): void {
  if (!config.tls && config.trustedProxies.length === 0) {
    reader.problem(
      "in production set TLS_CERT and TLS_KEY, or TRUSTED_PROXIES to the addresses of the proxy that ends TLS",
    );
  }
  if (config.publicUrl?.startsWith("http:") && !isPlainLoopback(config.publicUrl)) {
    reader.problem("PUBLIC_URL must begin with https:// in production");
  }
}

function readOidc(reader: EnvReader): OidcConfig | undefined {
  const names = ["OIDC_DISCOVERY_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"];
  if (names.every((name) => reader.optional(name) === undefined)) return undefined;
  return {
    name: reader.string("OIDC_NAME", "single sign-on"),
    discoveryUrl: reader.url("OIDC_DISCOVERY_URL"),
    clientId: reader.string("OIDC_CLIENT_ID"),
    clientSecret: reader.string("OIDC_CLIENT_SECRET"),
  };
}

/** A decimal above 0 and a currency, as in "0.01 USD". */
function readTokenPrice(reader: EnvReader) {
  const text = reader.optional("TOKEN_PRICE");
  if (text === undefined) return undefined;
  const [, amount = "", currency = ""] = /^(\d{1,9}(?:\.\d{1,9})?) ([A-Z]{3})$/.exec(text) ?? [];
  if (/[1-9]/.test(amount) && Intl.supportedValuesOf("currency").includes(currency)) {
    return { amount, currency };
  }
  reader.problem(
    `TOKEN_PRICE must be a decimal above 0, a space and an ISO 4217 currency, such as "0.01 USD", not "${text}"`,
  );
  return undefined;
}
