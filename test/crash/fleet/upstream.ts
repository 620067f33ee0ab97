/** What a fleet calls as its simulator: passes requests on to real simulators, records every job, and drops some answers. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { Agent, request as call } from "undici";
import { startHttp } from "../../support/http-server.ts";

/** How long a simulator may be silent. */
const TIMEOUT_MS = 5_000;

/** Every `dropEvery`th answer to a submit is lost. */
export async function startUpstream(dropEvery: number) {
  /** Every accepted submit; the same job may be submitted again by who lost the first answer. */
  const submits: { id: string; token: string }[] = [];
  const dispatcher = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  let simulators: readonly number[] = [];
  let turn = 0;
  let answered = 0;
  const server = await startHttp((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const isSubmit = request.method === "POST" && request.url === "/jobs";
      const first = turn++ % simulators.length;
      const inTurn = [...simulators.slice(first), ...simulators.slice(0, first)];
      const answer = await firstAnswer(inTurn, request, body, dispatcher);
      if (!answer) return void response.destroy();
      if (isSubmit && answer.status === 200) {
        const { client_token: token } = JSON.parse(body.toString()) as { client_token: string };
        const { id } = JSON.parse(answer.content.toString()) as { id: string };
        submits.push({ id, token });
        if (++answered % dropEvery === 0) return void response.destroy();
      }
      const { status, headers, content } = answer;
      response.writeHead(status, { ...headers, "content-length": content.byteLength }).end(content);
    })();
  });
  return {
    port: server.port,
    submits,
    /** By their ports on this machine. */
    useSimulators: (ports: readonly number[]) => void (simulators = ports),
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Simulators are stateless, so any request may be repeated at another one. */
async function firstAnswer(
  simulators: readonly number[],
  { method = "GET", url, headers }: IncomingMessage,
  sent: Buffer,
  dispatcher: Agent,
) {
  const body = sent.byteLength > 0 ? sent : null;
  const options = { method, headers: endToEnd(headers), body, dispatcher };
  for (const port of simulators) {
    try {
      const answer = await call(`http://127.0.0.1:${port}${url}`, options as object);
      const content = Buffer.from(await answer.body.arrayBuffer());
      return { status: answer.statusCode, headers: endToEnd(answer.headers), content };
    } catch {
      // It has ended, or is silent.
    }
  }
  return undefined;
}

/** Those that are not of one connection. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, "transfer-encoding": __, ...kept } = headers;
  return kept;
}
