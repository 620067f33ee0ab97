/** Finds every RPC of the services in the generated code, so that new ones are tested without being listed. */
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  getOption,
  type DescFile,
  type DescMethodUnary,
  type DescService,
} from "@bufbuild/protobuf";
import { callers } from "#gen/proto/media/runtime/v1/access_pb.ts";
import { SERVICES, type ServiceName } from "#runtime/service/service.ts";

export type Rpc = {
  name: string;
  service: DescService;
  method: DescMethodUnary;
  /** The process that serves it. */
  server: ServiceName;
  /** The value of its `callers` option. */
  callers: readonly string[];
};

/** Servers whose name differs from their package's. */
const SERVERS: Record<string, ServiceName> = { accounts: "gateway" };

const folder = fileURLToPath(new URL("../../../gen/proto/media", import.meta.url));

/** Throws where a service has no server, or for a streaming RPC, for which no cases exist. */
export async function findRpcs(): Promise<Rpc[]> {
  const files = await readdir(folder, { recursive: true });
  const modules = await Promise.all(
    files
      .filter((file) => file.endsWith("_pb.ts"))
      .toSorted()
      .map((file) => import(`${folder}/${file}`) as Promise<Record<string, unknown>>),
  );
  const descriptors = modules.flatMap((module) => Object.values(module)) as { kind?: string }[];
  const descFiles = descriptors.filter(({ kind }) => kind === "file") as DescFile[];
  return descFiles.flatMap(({ services }) => services.flatMap(rpcsOf));
}

function rpcsOf(service: DescService): Rpc[] {
  const area = service.typeName.split(".")[1] ?? "";
  const server = SERVERS[area] ?? SERVICES.find((name) => name === area);
  if (!server) throw new Error(`no server known for ${service.typeName}`);
  return service.methods.map((method) => {
    const name = `${service.name}.${method.name}`;
    if (method.methodKind !== "unary")
      throw new Error(`${name} is streaming: no cases exist for it`);
    return {
      name,
      service,
      method: method as DescMethodUnary,
      server,
      callers: getOption(method, callers),
    };
  });
}
