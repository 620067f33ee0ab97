/** Debian's HAProxy with the configuration of compose.yaml; only where it listens and where the gateways are changes. */
import { writeFile } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import { locateUnpacked } from "../../../scripts/test-tools.mjs";
import { createReplica, type Replica } from "./replica.ts";

const TRY_AGAIN_MS = 50;
const PORT = 8080;

/** Balances requests to `port` over the gateways; resolves when one has answered through it. */
export async function startLoadBalancer(
  configuration: string,
  file: string,
  port: number,
  gateways: readonly Pick<Replica, "name" | "ports">[],
): Promise<Replica> {
  const found = locateUnpacked("haproxy");
  if (!found) throw new Error("HAProxy is missing: run node scripts/test-tools.mjs haproxy");
  const servers = gateways.map(
    ({ name, ports }) => `  server ${name} 127.0.0.1:${ports.get(PORT) ?? 0}`,
  );
  const localized = configuration
    .replace(`bind :${PORT}`, `bind 127.0.0.1:${port}`)
    .replace(/^ *server-template .*$/m, servers.join("\n"));
  await writeFile(file, localized);
  await using stack = new AsyncDisposableStack();
  const balancer = stack.use(
    createReplica({
      name: "load-balancer",
      service: "load-balancer",
      file: found.program,
      args: ["-db", "-f", file],
      environment: { LD_LIBRARY_PATH: found.libraries },
      // It writes nothing when it serves.
      readyText: "",
      ports: new Map([[PORT, port]]),
    }),
  );
  await balancer.start();
  const answers = () =>
    fetch(`${balancer.url(PORT)}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await answers())) {
    if (balancer.state() === "ended") throw new Error(`HAProxy ended:\n${balancer.logs()}`);
    await systemClock.sleep(TRY_AGAIN_MS);
  }
  stack.move();
  return balancer;
}
