/** Says which variable is at fault where a port cannot be opened. */
import { ConfigError, type Env } from "../env.ts";

const PROBLEMS: Record<string, { of: "port" | "address"; problem: string }> = {
  EADDRINUSE: { of: "port", problem: "is in use by another process" },
  EACCES: { of: "port", problem: "needs rights that this user does not have" },
  EADDRNOTAVAIL: { of: "address", problem: "is not an address of this machine" },
};

/** The last one is the one that has a value where it is not set, and can be at fault so. */
const VARIABLES = {
  port: ["RPC_PORT", "ASSETS_PORT", "SIMULATOR_PORT", "PORT"],
  address: ["PUBLIC_HOST", "HOST"],
};

type Listened = { address?: string; port?: number };

/** Undefined where `error` is not that of a port which the configuration names. */
export function listenProblem(error: unknown, env: Env): ConfigError | undefined {
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & Listened;
  const known = PROBLEMS[code ?? ""];
  if (syscall !== "listen" || known === undefined) return undefined;
  const { of, problem } = known;
  const value = String(of === "port" ? port : address);
  const names = VARIABLES[of];
  const name = names.find((one) => env[one] === value) ?? names.at(-1);
  return new ConfigError([`${name}: ${of === "port" ? `${address}:${port}` : address} ${problem}`]);
}
