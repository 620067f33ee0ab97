/** Debian's HAProxy with the configuration of compose.yaml; only where it listens and where the gateways are changes. */
import { writeFile } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import { locateHaproxy } from "../../../scripts/haproxy.mjs";
import { startProgram } from "../process.ts";

const TRY_AGAIN_MS = 50;

/** Balances requests to `port` over `servers`, by name; resolves when a server has answered through it. */
export async function startLoadBalancer(
  configuration: string,
  file: string,
  port: number,
  servers: ReadonlyMap<string, number>,
): Promise<AsyncDisposable> {
  const found = locateHaproxy();
  if (!found) throw new Error("HAProxy is missing: run node scripts/haproxy.mjs");
  await using stack = new AsyncDisposableStack();
  const lines = [...servers].map(([name, at]) => `  server ${name} 127.0.0.1:${at}`);
  const localized = configuration
    .replace(/bind :\d+/, `bind 127.0.0.1:${port}`)
    .replace(/^ *server-template .*$/m, lines.join("\n"));
  await writeFile(file, localized);
  const environment = { LD_LIBRARY_PATH: found.libraries };
  const program = stack.use(startProgram(found.program, ["-db", "-f", file], environment));
  const ended = program.exited.then(() => {
    throw new Error(`HAProxy ended:\n${program.output()}`);
  });
  while (!(await Promise.race([answers(port), ended]))) await systemClock.sleep(TRY_AGAIN_MS);
  ended.catch(() => {});
  return stack.move();
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
