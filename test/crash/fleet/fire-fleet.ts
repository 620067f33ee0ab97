/** The fleet of compose.yaml with links that can fail, clocks that can be moved, and an upstream that records its jobs. */
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import { SERVICES } from "#runtime/service/service.ts";
import { connected } from "../../../services/ops/setup/provision.ts";
import { startFleet } from "../../support/compose/compose.ts";
import { createLinks } from "./links.ts";
import { startUpstream } from "./upstream.ts";

export type FireFleet = Awaited<ReturnType<typeof startFireFleet>>;

const CLOCK_OFFSET_MS = 25 * 60_000;
const MOVABLE_CLOCK = fileURLToPath(new URL("./movable-clock.ts", import.meta.url));
/** Every so many answers to submits are lost. */
const DROP_EVERY = 25;
const SIMULATOR_PORT = 9100;

export async function startFireFleet(paceMs: number) {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startUpstream(DROP_EVERY));
  const links = stack.use(createLinks());
  links.redirect("simulator", upstream.port);
  const environment = {
    NODE_OPTIONS: `--import=${MOVABLE_CLOCK}`,
    CLOCK_OFFSET_MS: String(CLOCK_OFFSET_MS),
  };
  const fleet = await startFleet({
    variables: { SIMULATOR_PACE_MS: String(paceMs), LOG_LEVEL: "info" },
    environment: Object.fromEntries(SERVICES.map((service) => [service, environment])),
    through: links.through,
  });
  stack.use(fleet);
  const simulators = fleet.of("simulator");
  upstream.useSimulators(simulators.map(({ ports }) => ports.get(SIMULATOR_PORT) ?? 0));
  const running = stack.move();
  return {
    fleet,
    links,
    upstream,
    /** Runs `work` as the superuser in the fleet's database. */
    query: <T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> =>
      connected(new URL("/media", fleet.postgres.superuserUrl()).href, work),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
