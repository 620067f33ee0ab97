/** An upstream over HTTP that records every job and drops the answers to some submits. */
import { randomUUID } from "node:crypto";
import { json } from "node:stream/consumers";
import { startHttp } from "../support/http-server.ts";

export type RecordedJob = { id: string; token: string; doneAt: number; isCanceled: boolean };

/** How long the upstream takes to answer a submit. */
const SUBMIT_MS = 60;

/** Jobs take from `minMs` to twice that. Every `dropEvery`th submit is recorded and not answered. */
export async function recordingUpstream(minMs: number, dropEvery: number) {
  const jobs: RecordedJob[] = [];
  const byId = new Map<string, RecordedJob>();
  const view = ({ id, doneAt, isCanceled }: RecordedJob) => {
    return { id, isCanceled, done: Date.now() >= doneAt };
  };
  const server = await startHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://upstream");
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const submit = async () => {
      const { token } = (await json(request)) as { token: string };
      const doneAt = Date.now() + minMs * (1 + Math.random());
      const job = { id: randomUUID(), token, doneAt, isCanceled: false };
      jobs.push(job);
      byId.set(job.id, job);
      if (jobs.length % dropEvery === 0) request.socket.destroy();
      else setTimeout(() => answer(201, view(job)), SUBMIT_MS);
    };
    if (request.method === "POST") return void submit();
    const token = searchParams.get("token");
    if (token !== null) {
      return answer(200, jobs.filter((job) => job.token === token).map(view));
    }
    const job = byId.get(pathname.slice(1));
    if (job && request.method === "DELETE") job.isCanceled = true;
    return job ? answer(200, view(job)) : answer(404, null);
  });
  return { url: server.url, jobs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
