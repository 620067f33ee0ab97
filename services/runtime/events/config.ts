/** The settings of the connection to NATS. */
import type { EnvReader } from "../env.ts";

export type NatsConfig = {
  /** `host` or `host:port` of each server; any of them is enough to find the others of its cluster. */
  servers: string[];
  credentials: NatsCredentials;
  /** Undefined: TLS only if a server demands it, verified with the certificates of the system. */
  tls: NatsTls | undefined;
  /** Servers that keep a copy of the stream and of its consumers. */
  replicas: number;
};

/** One way to sign in, or none. Files are read at each connect, so that they can be renewed while the process runs. */
export type NatsCredentials = {
  user?: string;
  pass?: string;
  token?: string;
  /** Has a user's JWT and seed, as `nsc` writes them. */
  credsFile?: string;
  nkeyFile?: string;
};

/** PEM files; without `caFile` the certificates of the system are trusted. */
export type NatsTls = { caFile?: string; certFile?: string; keyFile?: string };

const DEFAULT_URL = "nats://127.0.0.1:4222";
const TLS_FILES = { caFile: "NATS_CA_FILE", certFile: "NATS_CERT_FILE", keyFile: "NATS_KEY_FILE" };
/** JetStream allows no more. */
const MAX_REPLICAS = 5;

export function readNatsConfig(env: EnvReader): NatsConfig {
  const urls = env.list("NATS_URL");
  const config = natsAt(urls.length === 0 ? DEFAULT_URL : urls.join(","), (url) =>
    env.problem(`NATS_URL must list URLs such as nats://host:4222, not "${url}"`),
  );
  return {
    ...config,
    credentials: readCredentials(env, config.credentials),
    tls: readTls(env, config.tls),
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
  const config: NatsConfig = { servers: [], credentials: {}, tls: undefined, replicas: 1 };
  for (const text of urls.split(",")) {
    const url = URL.parse(text.trim());
    if (url === null || url.host === "" || !["nats:", "tls:"].includes(url.protocol)) {
      onProblem(text.trim().replace(/^[^]*@/, "…@"));
      continue;
    }
    config.servers.push(url.host);
    if (url.protocol === "tls:") config.tls = {};
    const [user, pass] = [url.username, url.password].map(decodeURIComponent);
    if (user) config.credentials = pass ? { user, pass } : { token: user };
  }
  return config;
}

function readCredentials(env: EnvReader, inUrl: NatsCredentials): NatsCredentials {
  const user = env.optional("NATS_USER");
  const token = env.optional("NATS_TOKEN");
  const credsFile = readableFile(env, "NATS_CREDS_FILE");
  const nkeyFile = readableFile(env, "NATS_NKEY_FILE");
  const ways: NatsCredentials[] = [
    inUrl,
    user ? { user, pass: env.string("NATS_PASSWORD") } : {},
    token ? { token } : {},
    credsFile ? { credsFile } : {},
    nkeyFile ? { nkeyFile } : {},
  ];
  const [given = {}, ...more] = ways.filter((way) => Object.keys(way).length > 0);
  if (more.length > 0) {
    env.problem(
      "NATS takes one of NATS_USER with NATS_PASSWORD, NATS_TOKEN, NATS_CREDS_FILE, NATS_NKEY_FILE and credentials in NATS_URL",
    );
  }
  return given;
}

function readTls(env: EnvReader, inUrl: NatsTls | undefined): NatsTls | undefined {
  const paths = Object.entries(TLS_FILES).map(([name, one]) => [name, readableFile(env, one)]);
  const files = paths.filter(([, path]) => path !== undefined);
  const tls: NatsTls = Object.fromEntries(files);
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    env.problem("NATS_CERT_FILE and NATS_KEY_FILE are used together");
  }
  return files.length === 0 ? inUrl : tls;
}

/** The path in the variable, or undefined; a file that cannot be read is a problem. */
function readableFile(env: EnvReader, variable: string): string | undefined {
  const path = env.optional(variable);
  if (path !== undefined) env.file(variable);
  return path;
}
