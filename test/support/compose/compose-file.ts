/** Reads deploy/compose.yaml: merges, fills in variables, and brings the short forms that the file uses into one. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

const COMPOSE_FILE = new URL("../../../deploy/compose.yaml", import.meta.url);

export type ComposeService = NonNullable<ReturnType<ReturnType<typeof readCompose>["get"]>>;

type Yaml = {
  configs: Record<string, { content: string }>;
  services: Record<
    string,
    {
      image: string;
      command?: string[];
      environment?: Record<string, string | number | boolean>;
      scale?: number;
      expose?: string[];
      ports?: string[];
      volumes?: (string | { source: string; target: string; volume: { subpath: string } })[];
      tmpfs?: string[];
      configs?: { source: string; target: string }[];
      depends_on?: string[] | Record<string, unknown>;
      profiles?: string[];
      networks?: { default: { ipv4_address: string } };
    }
  >;
};

/** The services that Compose starts by itself. `value` answers for the variables that the file names. */
export function readCompose(value: (name: string) => string | undefined) {
  const document = parse(readFileSync(COMPOSE_FILE, "utf8"), { merge: true }) as Yaml;
  const fill = (text: unknown) => interpolate(String(text), value);
  const started = Object.entries(document.services).filter(([, { profiles }]) => !profiles);
  const services = started.map(([name, service]) => {
    const environment = Object.entries(service.environment ?? {});
    const published = (service.ports ?? []).map((port) => fill(port).split(":").at(-1));
    const mounts = [
      ...(service.volumes ?? []).map((mount) =>
        typeof mount === "string"
          ? mount.split(":").toSpliced(2).toReversed()
          : [mount.target, `${mount.source}/${mount.volume.subpath}`],
      ),
      ...(service.tmpfs ?? []).map((target) => [target]),
    ];
    const configs = (service.configs ?? []).map(
      ({ source, target }) => [target, fill(document.configs[source]?.content)] as const,
    );
    const read = {
      name,
      /** Without registry tag: `postgres`, `minio/minio`. */
      image: service.image.replace(/:[^:/]+$/, ""),
      command: (service.command ?? []).map(fill),
      environment: Object.fromEntries(
        environment.map(([key, text]) => [key, fill(text)]),
      ) as Record<string, string>,
      replicas: service.scale ?? 1,
      /** On which it listens, inside its container. */
      ports: [...(service.expose ?? []), ...published].map(Number),
      /** Mount target to named volume, or a file in it; a tmpfs has none and belongs to one replica. */
      mounts: Object.fromEntries(mounts) as Record<string, string | undefined>,
      /** That it has in the network of the file, where it is fixed. */
      address: service.networks?.default.ipv4_address,
      /** The contents of files, by their paths in the container. */
      configs: Object.fromEntries(configs) as Record<string, string>,
      dependsOn: Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {}),
    };
    return [name, read] as const;
  });
  return new Map(services) as ReadonlyMap<string, (typeof services)[number][1]>;
}

/** `${NAME}`, `${NAME:-default}`, `${NAME:?}` and `$$`, as Compose reads them. Throws where `:?` has no value. */
function interpolate(text: string, value: (name: string) => string | undefined): string {
  return text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (match, name: string | undefined, operator: string | undefined, rest: string | undefined) => {
      if (name === undefined) return match.slice(1);
      const found = value(name);
      if (found !== undefined && found !== "") return found;
      if (operator === "?") throw new Error(`${name} is required`);
      return rest ?? "";
    },
  );
}
