/** Profiles a process through its inspector and adds up what each layer takes. */
import { once } from "node:events";

/** A place in the code: in a file of the project or of a package, in Node, or in V8, whose places have no URL. */
type Frame = { functionName: string; url: string };
type Call<T> = T & { callFrame: Frame };
type CpuNode = Call<{ id: number; children?: number[] }>;
type CpuProfile = { nodes: CpuNode[]; samples: number[]; timeDeltas: number[] };
type HeapNode = Call<{ selfSize: number; children: HeapNode[] }>;

/** The first that a place fits. What fits none belongs to the layer of its caller. */
const LAYERS: readonly (readonly [layer: string, place: RegExp])[] = [
  ["garbage", /^\(garbage collector\)/],
  ["sockets and V8", /^\((program|root)\)/],
  ["validation of messages", /protovalidate|\/cel\/|runtime\/text-rules/],
  ["calls between services", /@connectrpc|runtime\/(rpc|load-limit|work-context)|rpc-metrics/],
  ["messages", /@bufbuild\/protobuf|gen\/proto/],
  ["Postgres client", /node_modules\/postgres|runtime\/postgres|runtime\/service\/sql/],
  ["events", /node_modules\/nats|runtime\/events/],
  ["Fastify and its checks", /node_modules\/(fastify|ajv|avvio|find-my-way|fast-|light-|reusify)/],
  ["logs and metrics", /node_modules\/(pino|prom-client|sonic-boom)|runtime\/(log|metrics)/],
  ["gateway", /services\/(gateway|vocabulary)/],
  ["generation", /services\/generation/],
  ["billing", /services\/billing/],
  ["delivery", /services\/delivery/],
  ["Node: HTTP", /node:(_?http|internal\/_?http)/],
  ["Node: promises and timers", /task_queues|async_hooks|async_context|timers|\(anonymous\)$/],
  ["Node: streams and sockets", /node:(net|events|buffer|internal\/(streams|stream_base))/],
];
const IDLE = /^\(idle\)/;
const OTHER = "other";

/** How much each layer takes, in microseconds or bytes. */
export type ByLayer = Map<string, number>;

export type Profiled<T> = { result: T; byLayer: ByLayer };

export type Profiler = Disposable & {
  processor: <T>(work: () => Promise<T>) => Promise<Profiled<T>>;
  allocated: <T>(work: () => Promise<T>) => Promise<Profiled<T>>;
};

/** Connects to the inspector of a process on a port of this machine. */
export async function openProfiler(port: number): Promise<Profiler> {
  const list = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await once(socket, "open");
  const answers = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    answers.get(id)?.(result);
    answers.delete(id);
  });
  let sent = 0;
  const send = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve) => {
      const id = (sent += 1);
      answers.set(id, (result) => resolve(result as T));
      socket.send(JSON.stringify({ id, method, params }));
    });
  await send("Profiler.enable");
  return {
    async processor(work) {
      await send("Profiler.start");
      const result = await work();
      const { profile } = await send<{ profile: CpuProfile }>("Profiler.stop");
      return { result, byLayer: processorByLayer(profile) };
    },
    async allocated(work) {
      const all = {
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      };
      await send("HeapProfiler.startSampling", { samplingInterval: 16_384, ...all });
      const result = await work();
      const { profile } = await send<{ profile: { head: HeapNode } }>("HeapProfiler.stopSampling");
      const byLayer: ByLayer = new Map();
      addAllocated(profile.head, OTHER, byLayer);
      return { result, byLayer };
    },
    [Symbol.dispose]: () => socket.close(),
  };
}

function layerOf({ functionName, url }: Frame, caller: string): string {
  const place = `${url}${functionName}`;
  return LAYERS.find(([, pattern]) => pattern.test(place))?.[0] ?? caller;
}

function add(to: ByLayer, layer: string, amount: number): void {
  to.set(layer, (to.get(layer) ?? 0) + amount);
}

function processorByLayer({ nodes, samples, timeDeltas }: CpuProfile): ByLayer {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const layers = new Map<number, string>();
  const look = (node: CpuNode, caller: string) => {
    const layer = layerOf(node.callFrame, caller);
    layers.set(node.id, layer);
    for (const child of node.children ?? []) look(byId.get(child) as CpuNode, layer);
  };
  if (nodes[0]) look(nodes[0], OTHER);
  const found: ByLayer = new Map();
  for (const [index, id] of samples.entries()) {
    const isIdle = IDLE.test(byId.get(id)?.callFrame.functionName ?? "");
    if (!isIdle) add(found, layers.get(id) ?? OTHER, timeDeltas[index + 1] ?? 0);
  }
  return found;
}

function addAllocated(node: HeapNode, caller: string, to: ByLayer): void {
  const layer = layerOf(node.callFrame, caller);
  add(to, layer, node.selfSize);
  for (const child of node.children) addAllocated(child, layer, to);
}
