/** What a fleet calls as its simulator: passes requests on to real simulators, records every job, and drops some answers. */
import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { startHttp } from "../../support/http-server.ts";

export type Job = { id: string; token: string };

export type Upstream = AsyncDisposable & {
  port: number;
  /** Every accepted submit; the same job may be submitted again by who lost the first answer. */
  submits: readonly Job[];
  /** By their ports on this machine. */
  useSimulators: (ports: readonly number[]) => void;
};

/** Every `dropEvery`th answer to a submit is lost. */
export async function startUpstream(dropEvery: number): Promise<Upstream> {
  const submits: Job[] = [];
  const agent = new Agent({ keepAlive: true });
  let simulators: readonly number[] = [];
  let turn = 0;
  let answered = 0;
  const server = await startHttp((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const isSubmit = request.method === "POST" && request.url === "/jobs";
      const first = turn++ % simulators.length;
      const inTurn = [...simulators.slice(first), ...simulators.slice(0, first)];
      const answer = await firstAnswer(inTurn, request, body, agent);
      if (!answer) return void response.destroy();
      if (isSubmit && answer.status === 200) {
        const { client_token: token } = JSON.parse(body.toString()) as { client_token: string };
        const { id } = JSON.parse(answer.body.toString()) as { id: string };
        submits.push({ id, token });
        if (++answered % dropEvery === 0) return void response.destroy();
      }
      send(response, answer);
    })();
  });
  return {
    port: server.port,
    submits,
    useSimulators: (ports) => void (simulators = ports),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Answer = { status: number; headers: IncomingMessage["headers"]; body: Buffer };

/** Simulators are stateless, so any request may be repeated at another one. */
async function firstAnswer(
  simulators: readonly number[],
  request: IncomingMessage,
  body: Buffer,
  agent: Agent,
): Promise<Answer | undefined> {
  for (const port of simulators) {
    const answer = await callSimulator(port, request, body, agent).catch(() => undefined);
    if (answer) return answer;
  }
  return undefined;
}

function callSimulator(
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  agent: Agent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port, path: url };
    const options = { ...to, method, headers, agent, timeout: 5_000 };
    const call = httpRequest(options as object, (response: IncomingMessage) => {
      buffer(response).then(
        (content) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content }),
        reject,
      );
    });
    call.on("timeout", () => call.destroy(new Error("the simulator does not answer")));
    call.on("error", reject);
    call.end(body);
  });
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const { "transfer-encoding": _, connection: __, ...kept } = headers;
  response.writeHead(status, { ...kept, "content-length": body.byteLength }).end(body);
}
