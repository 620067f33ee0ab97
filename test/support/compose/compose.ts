/**
 * Starts the services of deploy/compose.yaml as processes of this machine, with the commands and the environment that
 * the file gives them; `addresses.ts` says what is substituted. These images have stand-ins: `postgres` and PgBouncer
 * (the embedded server), MinIO (s3rver). NATS runs with the command of the file, HAProxy with its configuration.
 */
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { SERVICES } from "#runtime/service/service.ts";
import { locateNatsServer } from "../../../scripts/nats-binary.mjs";
import { operatorOf } from "../operator.ts";
import { startProgram } from "../process.ts";
import { startS3 } from "../s3.ts";
import { assignAddresses, nameOf, type Through } from "./addresses.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { readCompose, type ComposeService } from "./compose-file.ts";
import { createPostgres } from "./postgres-server.ts";
import { createReplica, type Replica } from "./replica.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Canned clips, a quick simulator as the upstream of live mode, and receivers on this machine. */
const VARIABLES = {
  NODE_ENV: "test",
  LIVE_PROVIDER: "simulator",
  SIMULATOR_RENDER: "fixture",
  SIMULATOR_PACE_MS: "600",
  EGRESS_ALLOW: "127.0.0.0/8",
  LOG_LEVEL: "warn",
  S3_USER: "S3RVER",
  S3_PASSWORD: "S3RVER",
};

const RPC_PORT = 9000;

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export type FleetOptions = {
  /** Values of the file's variables, before the defaults above. A secret that is not given is made. */
  variables?: Record<string, string>;
  /** Variables for one service beside those of the file. */
  environment?: Record<string, Record<string, string>>;
  through?: Through;
  /** A copy of the project whose code the services run, if it is not this one. */
  root?: string | undefined;
};

export async function startFleet(options: FleetOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await temporaryFolder());
  const values = new Map<string, string>(Object.entries({ ...VARIABLES, ...options.variables }));
  const read = () => readCompose((name) => values.get(name) ?? secretFor(name, values));
  const services = read();
  const addresses = await assignAddresses(services, folder, options.through ?? direct);
  const publicPort = addresses.portOf("load-balancer", 0, 8080);
  const url = `http://127.0.0.1:${publicPort}`;
  values.set("PUBLIC_URL", url);
  const withUrl = read();

  const postgresPort = addresses.portOf("postgres", 0, 5432);
  const password = values.get("POSTGRES_PASSWORD") ?? "";
  const postgres = stack.use(
    await createPostgres(join(folder, "postgres"), postgresPort, password),
  );
  const s3 = stack.use(await startS3(addresses.portOf("s3", 0, 9000)));
  const replicas = new Map<string, Replica>();

  const programOf = async (service: ComposeService, index: number) => {
    const { args, environment } = await addresses.localize({ service, index });
    return { args, environment: { ...environment, ...options.environment?.[service.name] } };
  };
  const startReplicas = async (service: ComposeService, file: string, readyText: string) => {
    const starting = [...Array(service.replicas).keys()].map(async (index) => {
      const { args, environment } = await programOf(service, index);
      const name = nameOf(service, index);
      const ports = new Map(
        service.ports.map((port) => [port, addresses.portOf(service.name, index, port)]),
      );
      const root = file === process.execPath ? options.root : undefined;
      const program = { name, service: service.name, file, args, environment, root };
      const replica = stack.use(createReplica({ ...program, readyText, ports }));
      replicas.set(name, replica);
      // Single files are there already.
      for (const target of Object.keys(service.mounts).filter((path) => extname(path) === "")) {
        await mkdir(addresses.folderOf({ service, index }, target), { recursive: true });
      }
      await replica.start();
    });
    await Promise.all(starting);
  };
  /** What prepares a database and keys is of the compose file, and so of this tree. */
  const rootOf = ({ name }: ComposeService) =>
    name.startsWith("migrate-") ? options.root : undefined;
  const runJob = async (service: ComposeService, root = rootOf(service)) => {
    const { args, environment } = await programOf(service, 0);
    const job = startProgram(process.execPath, args.slice(1), environment, root);
    const code = await job.exited;
    if (code !== 0) throw new Error(`${service.name} failed:\n${job.output()}`);
  };
  const start = async (service: ComposeService): Promise<void> => {
    switch (service.image) {
      case "postgres":
        return postgres.start();
      case "edoburu/pgbouncer":
      case "minio/minio":
      case "minio/mc":
        return undefined;
      case "haproxy": {
        const gateways = [...replicas.values()].filter(({ service }) => service === "gateway");
        const [configuration = ""] = Object.values(service.configs);
        const file = join(folder, "haproxy.cfg");
        const balancer = await startLoadBalancer(configuration, file, publicPort, gateways);
        replicas.set(service.name, stack.use(balancer));
        return undefined;
      }
      case "nats":
        return startReplicas(service, locateNatsServer() ?? "nats-server", "Server is ready");
      case "media-generation-service":
        if (service.command.includes("services/ops/main.ts")) return runJob(service);
        return startReplicas(
          { ...service, command: service.command.slice(1) },
          process.execPath,
          "ready\n",
        );
      default:
        throw new Error(`no stand-in for the image ${service.image}`);
    }
  };
  await inOrder(withUrl, start);

  /** The replicas of a service. */
  const of = (service: string) => [...replicas.values()].filter((one) => one.service === service);
  const endpoints = SERVICES.map((name) => [name, of(name)[0]?.url(RPC_PORT)]);
  const endpointsFile = join(folder, "endpoints.json");
  await writeFile(endpointsFile, JSON.stringify(Object.fromEntries(endpoints)));
  const running = stack.move();
  return {
    /** The load balancer's address, without /v1. */
    url,
    /** All replicas, NATS servers included, by name: `billing-1`, `nats-3`. */
    replicas: replicas as ReadonlyMap<string, Replica>,
    of,
    natsServers: () => [...replicas.values()].filter(({ service }) => service.startsWith("nats")),
    /** The folder where a NATS server keeps its streams; delete it only while the server is ended. */
    storeOf: (replica: Replica) => join(folder, replica.service),
    postgres,
    s3,
    /** Runs a job of the file again, such as `migrate-billing`, with the code in `root`. */
    runJob: async (name: string, root?: string) => {
      const job = withUrl.get(name);
      if (!job) throw new Error(`compose.yaml has no service ${name}`);
      await runJob(job, root);
    },
    ...operatorOf({
      OPS_ENDPOINTS_FILE: endpointsFile,
      OPS_KEY_FILE: join(folder, "keys/ops.json"),
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const direct: Through = async (_from, _to, port) => port;

/** Variables that must be set are secrets; WEBHOOK_SECRET_KEY is base64, the others are part of URLs. */
function secretFor(name: string, values: Map<string, string>): string | undefined {
  if (!/_PASSWORD$|_SECRET$|_KEY$/.test(name)) return undefined;
  const secret = randomBytes(32).toString(name === "WEBHOOK_SECRET_KEY" ? "base64" : "hex");
  values.set(name, secret);
  return secret;
}

/** Starts each service when all that it depends on have started. */
async function inOrder(
  services: ReadonlyMap<string, ComposeService>,
  start: (service: ComposeService) => Promise<void>,
): Promise<void> {
  const started = new Map<string, Promise<void>>();
  const startOnce = (name: string): Promise<void> => {
    const service = services.get(name);
    if (!service) throw new Error(`compose.yaml has no service ${name}`);
    const starting =
      started.get(name) ?? Promise.all(service.dependsOn.map(startOnce)).then(() => start(service));
    started.set(name, starting);
    return starting;
  };
  await Promise.all([...services.keys()].map(startOnce));
}
