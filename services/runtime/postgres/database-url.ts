/** Reads the URL of a database: one or several hosts, TLS, and whether PgBouncer is in between. */
import { readFileSync } from "node:fs";
import type { EnvReader } from "../env.ts";
import type { ConnectionOptions } from "node:tls";

export type DatabaseHost = { host: string; port: number };

export type DatabaseTarget = ReturnType<typeof parseDatabaseUrl>;

const DEFAULT_PORT = 5432;
const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"];
const PARAMETERS = [
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
  "pgbouncer",
];

/**
 * Reads `postgres://user:password@host:port,host:port/database?…` with the parameters of libpq that are listed above;
 * `pgbouncer=true` is ours. Throws an error that says what is wrong and never quotes the URL, which has a password.
 */
export function parseDatabaseUrl(text: string) {
  const [, scheme, userInfo, hosts = "", rest = ""] =
    /^(postgres(?:ql)?):\/\/(?:([^@/]*)@)?([^/?]*)(.*)$/.exec(text) ?? [];
  if (scheme === undefined) throw new Error("must be a postgres:// URL");
  const url = parsed(`postgres://${userInfo ?? ""}${userInfo === undefined ? "" : "@"}host${rest}`);
  const parameters = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(parameters).find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new Error(`has the parameter ${unknown}; supported are ${PARAMETERS.join(", ")}`);
  }
  const attributes = parameters["target_session_attrs"] ?? "primary";
  if (!["primary", "read-write"].includes(attributes)) {
    throw new Error("has target_session_attrs other than primary and read-write");
  }
  const database = decoded(url.pathname.slice(1));
  if (database === "") throw new Error("must name a database");
  return {
    /** Several are one cluster: statements go to its primary. */
    hosts: hosts.split(",").map(parseHost),
    database,
    user: decoded(url.username),
    password: decoded(url.password),
    tls: tlsOptions(parameters),
    /** Connections go to PgBouncer in transaction mode: nothing may depend on a session. */
    isPooled: parameters["pgbouncer"] === "true",
  };
}

/** A Postgres URL that names a database and one host or several. Problems do not show its password. */
export function readDatabaseUrl(env: EnvReader, name: string): string {
  const url = env.string(name);
  try {
    if (url) parseDatabaseUrl(url);
  } catch (error) {
    env.problem(`${name} ${(error as Error).message}`);
  }
  return url;
}

/** The URL with `host` as its only host and without parameters that only this project knows. */
export function urlForOtherClients(text: string, { host, port }: DatabaseHost): string {
  const name = host.includes(":") ? `[${host}]` : host;
  const [, before = "", after = ""] = /^(\w+:\/\/(?:[^@/]*@)?)[^/?]*(.*)$/.exec(text) ?? [];
  const url = parsed(`${before}${name}:${port}${after}`);
  url.searchParams.delete("pgbouncer");
  url.searchParams.delete("target_session_attrs");
  return url.href;
}

const BAD_URL = "must be a URL; special characters of a password are percent-encoded";

function parsed(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error(BAD_URL);
  return url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(BAD_URL);
  }
}

function parseHost(text: string): DatabaseHost {
  const [, bracketed, plain, port] =
    /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new Error("must name a host, or hosts separated by commas");
  return { host, port: port === undefined ? DEFAULT_PORT : Number(port) };
}

/** As in libpq, `require` encrypts without checking who answers, unless a root certificate is given. */
function tlsOptions(parameters: Record<string, string>): ConnectionOptions | undefined {
  const { sslmode = "disable", sslrootcert, sslcert, sslkey } = parameters;
  if (!SSL_MODES.includes(sslmode)) throw new Error(`needs sslmode ${SSL_MODES.join(", ")}`);
  if (sslmode === "disable") return undefined;
  const isFile = sslrootcert !== undefined && sslrootcert !== "system";
  return {
    ...(isFile ? { ca: fileOf("sslrootcert", sslrootcert) } : {}),
    ...(sslcert === undefined ? {} : { cert: fileOf("sslcert", sslcert) }),
    ...(sslkey === undefined ? {} : { key: fileOf("sslkey", sslkey) }),
    rejectUnauthorized: sslmode !== "require" || sslrootcert !== undefined,
    ...(sslmode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

function fileOf(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new Error(`names a file in ${name} that cannot be read`);
  }
}
