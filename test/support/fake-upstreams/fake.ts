/** What all fake upstreams stand on: a server that records requests and jobs, and misbehaves on command. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { startHttp } from "../http-server.ts";

export type FakeRequest = {
  operation: string;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  json: unknown;
  /** Of a body that is multipart/form-data. */
  form: FormData | undefined;
  raw: Buffer;
};

/** Neither `json` nor `raw`: an empty body. */
export type FakeReply = {
  status: number;
  headers?: Record<string, string>;
  json?: unknown;
  raw?: Uint8Array;
};

/** What a look at a job says: the upstream's own status word, and whatever its body needs beside it. */
export type JobState = { status: string; [detail: string]: unknown };

/** A state in full; a word alone is the status. */
export const stateOf = (state: string | JobState): JobState =>
  typeof state === "string" ? { status: state } : state;

export type FakeJob = { id: string; request: FakeRequest; state: JobState; script: JobState[] };

type Handle = (request: FakeRequest, ...groups: string[]) => FakeReply;

type Operation = { method: string; path: RegExp; handle: Handle; isOpen: boolean };

/**
 * `path` is matched whole, without the query; its groups are handed to `handle`. What is open is served without the
 * key, e.g. a result file.
 */
export const on = (method: string, path: RegExp, handle: Handle, isOpen = false): Operation => ({
  method,
  path,
  handle,
  isOpen,
});

export const ok = (json: unknown): FakeReply => ({ status: 200, json });

export type Misbehaviour =
  /** The request is not handled, so nothing is recorded. */
  | { instead: FakeReply | "drop" }
  /** The request is handled, but its answer is lost or another. */
  | { afterwards: FakeReply | "drop" }
  /** The request is handled, and its answer has these headers, too. */
  | { headers: Record<string, string> };

/** What a vendor's fake is made with. */
type Workshop = {
  url: () => string;
  jobs: FakeJob[];
  jobOf: (id: string) => FakeJob | undefined;
  record: (request: FakeRequest, id: string, state: string | JobState) => FakeJob;
  /** What a look at the job is told of it, unless it is gone: its script goes on by one; its last state stays. */
  look: (id: string, told: (job: FakeJob) => FakeReply, gone: FakeReply) => FakeReply;
};

type Vendor = {
  /** Between the server's address and the operations' paths, e.g. "/api/v3". */
  basePath?: string;
  key: string;
  /** Where it is not a bearer token. */
  accepts?: (headers: IncomingHttpHeaders) => boolean;
  unauthorised: FakeReply;
  notFound: FakeReply;
  /** By name; the first that matches a request handles it. */
  operations: Record<string, Operation>;
};

export type FakeUpstream = Awaited<ReturnType<typeof startFake>>;

/** The words of every fake's error messages: no client may ever read them. */
export const QUOTE = "as the upstream words it";
/** What results are, wherever a fake serves one. */
export const RESULT = Buffer.from("the bytes of a result");
export const RESULT_PATH = "/results/one";
/** The status of a job that the upstream no longer knows. */
const GONE = "gone";

export async function startFake(build: (workshop: Workshop) => Vendor) {
  const jobs: FakeJob[] = [];
  const requests: FakeRequest[] = [];
  const faults = new Map<string, Misbehaviour[]>();
  const gates = new Map<string, { arrive: () => void; released: Promise<void> }[]>();
  let url = "";

  const jobOf = (id: string) => jobs.find((job) => job.id === id);
  const vendor = build({
    url: () => url,
    jobs,
    jobOf,
    record: (request, id, state) => {
      const job: FakeJob = { id, request, state: stateOf(state), script: [] };
      jobs.push(job);
      return job;
    },
    look: (id, told, gone) => {
      const job = jobOf(id);
      if (job) job.state = job.script.shift() ?? job.state;
      return job && job.state.status !== GONE ? told(job) : gone;
    },
  });
  const { key, accepts = ({ authorization }) => authorization === `Bearer ${key}` } = vendor;
  const operations = Object.entries({ ...vendor.operations, result });

  const replyTo = (request: FakeRequest, operation: Operation | undefined, groups: string[]) => {
    if (!operation) return vendor.notFound;
    if (!operation.isOpen && !accepts(request.headers)) return vendor.unauthorised;
    const fault = faults.get(request.operation)?.shift();
    if (fault && "instead" in fault) return fault.instead;
    const reply = operation.handle(request, ...groups);
    if (fault && "headers" in fault)
      return { ...reply, headers: { ...reply.headers, ...fault.headers } };
    return fault?.afterwards ?? reply;
  };

  const server = await startHttp((incoming, response) => {
    void (async () => {
      const raw = await buffer(incoming);
      const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://fake.test");
      const path = pathname.replace(vendor.basePath ?? "", "");
      const method = incoming.method ?? "";
      const matched = operations
        .map(([name, operation]) => ({ name, operation, groups: operation.path.exec(path) }))
        .find(({ operation, groups }) => groups?.[0] === path && operation.method === method);
      const request: FakeRequest = {
        operation: matched?.name ?? "none",
        method,
        path,
        query: searchParams,
        headers: incoming.headers,
        json: jsonOf(raw),
        form: await formOf(raw, incoming.headers["content-type"]),
        raw,
      };
      requests.push(request);
      const reply = replyTo(request, matched?.operation, matched?.groups?.slice(1) ?? []);
      const gate = gates.get(request.operation)?.shift();
      gate?.arrive();
      await gate?.released;
      send(response, reply);
    })();
  });
  url = server.url;

  return {
    /** For the provider's settings. */
    baseUrl: `${url}${vendor.basePath ?? ""}`,
    key,
    requests,
    jobs,
    /** What the next looks at the job say, in turn; the last one stays. */
    says: (id: string, ...states: (string | JobState)[]) => {
      const job = jobOf(id);
      if (!job) throw new Error(`the fake has no job ${id}`);
      job.script = states.map(stateOf);
    },
    /** The next request of that operation meets this; several wait in line. */
    once: (operation: string, misbehaviour: Misbehaviour) =>
      append(faults, operation, misbehaviour),
    /** Holds the answer to the next request of that operation, after it was handled. */
    hold: (operation: string) => {
      const arrival = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      append(gates, operation, { arrive: arrival.resolve, released: release.promise });
      return { arrived: arrival.promise, release: release.resolve };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The bytes of a video, wherever a fake serves them. */
export const videoReply = (): FakeReply => ({
  status: 200,
  headers: { "content-type": "video/mp4" },
  raw: RESULT,
});

const result = on("GET", /\/results\/[^/]+/, videoReply, true);

function append<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  lists.set(name, [...(lists.get(name) ?? []), item]);
}

function jsonOf(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

async function formOf(raw: Buffer, type = ""): Promise<FormData | undefined> {
  if (!type.startsWith("multipart/form-data")) return undefined;
  return new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData();
}

function send(response: ServerResponse, reply: FakeReply | "drop"): void {
  if (reply === "drop") {
    response.destroy();
    return;
  }
  const isJson = reply.json !== undefined;
  response.writeHead(reply.status, {
    ...(isJson ? { "content-type": "application/json" } : {}),
    ...reply.headers,
  });
  response.end(isJson ? JSON.stringify(reply.json) : reply.raw);
}
