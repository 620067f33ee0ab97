/** Says which variable is at fault where a port cannot be opened. */
import { ConfigError, type Env } from "../env.ts";

const PROBLEMS: Record<string, { variable: "PORT" | "HOST"; problem: string }> = {
  EADDRINUSE: { variable: "PORT", problem: "is in use by another process" },
  EACCES: { variable: "PORT", problem: "needs rights that this user does not have" },
  EADDRNOTAVAIL: { variable: "HOST", problem: "is not an address of this machine" },
};

/** Undefined where `error` is not that of a port which the configuration names. */
export function listenProblem(error: unknown, env: Env): ConfigError | undefined {
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  const known = PROBLEMS[code ?? ""];
  if (syscall !== "listen" || known === undefined) return undefined;
  const { variable, problem } = known;
  const isPort = variable === "PORT";
  const value = String(isPort ? port : address);
  const names = Object.keys(env).filter((name) => name.endsWith(variable) && env[name] === value);
  // Of the ports that are not set, PORT alone has a number.
  return new ConfigError([
    `${names[0] ?? variable}: ${isPort ? `${address}:${port}` : address} ${problem}`,
  ]);
}
