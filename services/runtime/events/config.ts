/** The settings of the connection to NATS. */
import type { EnvReader } from "../env.ts";

export type NatsConfig = {
  /** `host` or `host:port` of each server; any of them is enough to find the others of its cluster. */
  servers: string[];
  user?: { user: string; pass: string } | { token: string } | undefined;
  /** A user's JWT and seed, as `nsc` writes them. */
  credsFile?: string | undefined;
  /** PEM files; without `ca` the certificates of the system are trusted. Undefined: TLS only if a server demands it. */
  tls?: { ca?: string; cert?: string; key?: string } | undefined;
  /** Servers that keep a copy of the stream and of its consumers. */
  replicas: number;
};

const DEFAULT_URL = "nats://127.0.0.1:4222";
const TLS_FILES = { ca: "NATS_CA_FILE", cert: "NATS_CERT_FILE", key: "NATS_KEY_FILE" };
/** JetStream allows no more. */
const MAX_REPLICAS = 5;

export function readNatsConfig(env: EnvReader): NatsConfig {
  const urls = env.list("NATS_URL");
  const config = natsAt(urls.length === 0 ? DEFAULT_URL : urls.join(","), (url) =>
    env.problem(`NATS_URL must list URLs such as nats://host:4222, not "${url}"`),
  );
  const name = env.optional("NATS_USER");
  const own = name === undefined ? undefined : { user: name, pass: env.string("NATS_PASSWORD") };
  const credsFile = readableFile(env, "NATS_CREDS_FILE");
  if ([config.user, own, credsFile].filter(Boolean).length > 1) {
    env.problem(
      "NATS takes one of NATS_USER with NATS_PASSWORD, NATS_CREDS_FILE, and a user or token in NATS_URL",
    );
  }
  return {
    ...config,
    user: own ?? config.user,
    credsFile,
    tls: readTls(env) ?? config.tls,
    replicas: env.integer("NATS_REPLICAS", 1, 1, MAX_REPLICAS),
  };
}

/** Addresses, TLS (`tls://`), and a user or token (`nats://token@host`); credentials in one URL are used for all. */
export function natsAt(
  urls: string,
  onProblem = (url: string): void => {
    throw new Error(`not a NATS URL: ${url}`);
  },
): NatsConfig {
  const config: NatsConfig = { servers: [], replicas: 1 };
  for (const text of urls.split(",")) {
    const url = URL.parse(text.trim());
    if (url === null || url.host === "" || !["nats:", "tls:"].includes(url.protocol)) {
      onProblem(text.trim());
      continue;
    }
    config.servers.push(url.host);
    if (url.protocol === "tls:") config.tls = {};
    const [user, password] = [url.username, url.password].map(decodeURIComponent);
    if (user) config.user = password ? { user, pass: password } : { token: user };
  }
  return config;
}

function readTls(env: EnvReader): NatsConfig["tls"] {
  const files = Object.entries(TLS_FILES).flatMap(([name, variable]) => {
    const path = readableFile(env, variable);
    return path === undefined ? [] : [[name, path] as const];
  });
  const tls = Object.fromEntries(files);
  if ("cert" in tls !== "key" in tls) {
    env.problem("NATS_CERT_FILE and NATS_KEY_FILE are used together");
  }
  return files.length === 0 ? undefined : tls;
}

/** The path in the variable, or undefined; a file that cannot be read is a problem. */
function readableFile(env: EnvReader, variable: string): string | undefined {
  const path = env.optional(variable);
  if (path !== undefined) env.file(variable);
  return path;
}
