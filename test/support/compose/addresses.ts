/**
 * Where the containers of compose.yaml are when they are processes of one machine. Nothing else of a command or its
 * environment changes:
 *
 * - `host:port` of a service becomes 127.0.0.1 and a free port. A variable that takes a list of URLs gets the URL of
 *   every replica; another gets that of the replica with the caller's number.
 * - A value that is a port on which the container listens, alone or after `0.0.0.0:` or `=`, becomes its free port;
 *   `0.0.0.0` and a service's fixed address become 127.0.0.1.
 * - A path below a mount becomes one below a temporary folder: of the volume, or of the replica for a tmpfs.
 */
import { join } from "node:path";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import type { ComposeService } from "./compose-file.ts";

/** Variables whose readers take several URLs, separated by commas. */
const LISTS = new Set(["GENERATION_URL", "BILLING_URL", "DELIVERY_URL"]);

/** One container: the replica `index`, from 0, of a service. */
export type Container = { service: ComposeService; index: number };

/**
 * May put something between a caller and the address that it is given, such as a proxy that cuts connections.
 * `to` is the name of the replica that listens at `port` of 127.0.0.1; the answer is the port that the caller gets.
 */
export type Through = (from: string, to: string, port: number) => Promise<number>;

export const nameOf = (service: ComposeService, index: number): string =>
  service.replicas === 1 ? service.name : `${service.name}-${index + 1}`;

const below = (path: string): RegExp => new RegExp(`(?<=^|=)${path}(?=$|/)`);

export async function assignAddresses(
  services: ReadonlyMap<string, ComposeService>,
  folder: string,
  through: Through,
) {
  const ports = new Map<string, number>();
  for (const { name, replicas, ports: own } of services.values()) {
    for (let index = 0; index < replicas; index++) {
      for (const port of own) ports.set(`${name}.${index}:${port}`, await freePort());
    }
  }
  // PgBouncer's stand-in is Postgres itself.
  const pgbouncer = [...services.values()].find(({ image }) => image.endsWith("/pgbouncer"));
  const postgresPort = ports.get("postgres.0:5432");
  if (pgbouncer && postgresPort)
    ports.set(`${pgbouncer.name}.0:${pgbouncer.ports[0]}`, postgresPort);
  const portOf = (service: string, index: number, port: number): number => {
    const found = ports.get(`${service}.${index}:${port}`);
    if (found === undefined) throw new Error(`${service} ${index} exposes no port ${port}`);
    return found;
  };
  const folderOf = ({ service, index }: Container, target: string): string =>
    join(folder, service.mounts[target] ?? join(nameOf(service, index), target));

  // What follows tells a port from a password: `postgres:5432` from `postgres:5432…@`.
  const names = [...services.keys()].join("|");
  const fixed = [...services.values()].flatMap(({ address }) => address ?? []);
  const addressPattern = new RegExp(`(?<![\\w.-])(${names}):(\\d+)(?![\\w@])`, "g");

  async function localizeText(from: Container, text: string, replica: number): Promise<string> {
    const { service, index } = from;
    let result = text.replaceAll(/(?<=^|0\.0\.0\.0:|=)\d+$/g, (port) =>
      service.ports.includes(Number(port))
        ? String(portOf(service.name, index, Number(port)))
        : port,
    );
    for (const own of ["0.0.0.0", ...fixed]) result = result.replaceAll(own, "127.0.0.1");
    const target = Object.keys(service.mounts).find((path) => below(path).test(result));
    if (target !== undefined) result = result.replace(below(target), folderOf(from, target));
    for (const [address, host = "", port] of text.matchAll(addressPattern)) {
      const callee = services.get(host);
      if (!callee) continue;
      const chosen = replica % callee.replicas;
      const direct = portOf(host, chosen, Number(port));
      const given = await through(nameOf(service, index), nameOf(callee, chosen), direct);
      result = result.replace(address, `127.0.0.1:${given}`);
    }
    return result;
  }

  async function localizeVariable(from: Container, name: string, text: string): Promise<string> {
    const [, host = ""] = text.match(new RegExp(addressPattern.source)) ?? [];
    const replicas = LISTS.has(name) ? (services.get(host)?.replicas ?? 1) : 1;
    const chosen = replicas > 1 ? [...Array(replicas).keys()] : [from.index];
    const all = await Promise.all(chosen.map((replica) => localizeText(from, text, replica)));
    return all.join(",");
  }

  return {
    /** The port of 127.0.0.1 where a container listens that would listen on `port`. */
    portOf,
    folderOf,
    /** The environment and the arguments with which a container runs as a process. */
    async localize(container: Container) {
      const { command, environment } = container.service;
      const args = command.map((argument) => localizeText(container, argument, container.index));
      const variables = Object.entries(environment).map(
        async ([name, text]) => [name, await localizeVariable(container, name, text)] as const,
      );
      return {
        args: await Promise.all(args),
        environment: Object.fromEntries(await Promise.all(variables)),
      };
    },
  };
}
