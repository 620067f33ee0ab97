/** A fake of Replicate's API: its documented answers, and callbacks signed as by Standard Webhooks. */
import { createHmac, randomUUID } from "node:crypto";
import type { Account, Prediction } from "replicate";
import type { Callback } from "../../../services/generation/providers/provider.ts";
import type { ManualClock } from "../manual-clock.ts";
import {
  RESULT_PATH,
  startFake,
  type FakeJob,
  type FakeReply,
  type FakeRequest,
} from "./fake-upstream.ts";

type Sent = {
  version?: string;
  input: object;
  webhook?: string;
};

const KEY = "r8_fake";
const PAGE = 2;
export const REPLICATE_SECRET = `whsec_${Buffer.from("replicate signing key").toString("base64")}`;

/** A state's `output`, `error` and `data_removed` are told as they are; one that `isDeaf` ignores a cancel. */
export function startReplicateFake(clock: ManualClock) {
  return startFake(({ url, record, look, jobs }) => {
    const createdAt = new Map<string, string>();
    const predictionOf = (job: FakeJob) => {
      const { status, ...details } = job.state;
      const sent = job.request.json as Sent;
      const address = `${url()}/v1/predictions/${job.id}`;
      const told = {
        id: job.id,
        model: modelAt(job.request.path) ?? "owner/name",
        version: sent.version ?? "hidden",
        input: sent.input,
        output: status === "succeeded" ? `${url()}${RESULT_PATH}` : null,
        error: null,
        logs: "",
        status: status as Prediction["status"],
        source: "api",
        data_removed: false,
        created_at: createdAt.get(job.id) ?? "",
        ...(sent.webhook === undefined ? {} : { webhook: sent.webhook }),
        metrics: {},
        urls: {
          get: address,
          cancel: `${address}/cancel`,
          web: `https://replicate.com/p/${job.id}`,
        },
      } satisfies Prediction;
      return { ...told, started_at: null, completed_at: null, ...details };
    };
    const create = (request: FakeRequest): FakeReply => {
      const id = randomUUID().replaceAll("-", "").slice(0, 26);
      createdAt.set(id, clock.now().toISOString());
      return { status: 201, json: predictionOf(record(request, id, { status: "starting" })) };
    };
    return {
      basePath: "/v1",
      key: KEY,
      isAuthorised: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
      unauthorised: {
        status: 401,
        json: {
          title: "Unauthenticated",
          detail: "You did not pass a valid authentication token",
          status: 401,
        },
      },
      notFound: notFound(),
      operations: [
        {
          name: "submit",
          method: "POST",
          path: /\/models\/[\w.-]+\/[\w.-]+\/predictions/,
          handle: create,
        },
        { name: "submit", method: "POST", path: /\/predictions/, handle: create },
        {
          name: "list",
          method: "GET",
          path: /\/predictions/,
          handle: ({ query }) => {
            const from = Number(query.get("cursor") ?? 0);
            const newestFirst = jobs.toReversed();
            const next = `${url()}/v1/predictions?cursor=${from + PAGE}`;
            return {
              status: 200,
              json: {
                previous: null,
                next: from + PAGE < jobs.length ? next : null,
                results: newestFirst.slice(from, from + PAGE).map(predictionOf),
              },
            };
          },
        },
        {
          name: "poll",
          method: "GET",
          path: /\/predictions\/(\w+)/,
          handle: (_request, id = "") => {
            const job = look(id);
            return !job || job.state.status === "gone"
              ? notFound()
              : { status: 200, json: predictionOf(job) };
          },
        },
        {
          name: "cancel",
          method: "POST",
          path: /\/predictions\/(\w+)\/cancel/,
          handle: (_request, id = "") => {
            const job = jobs.find((one) => one.id === id);
            if (!job) return notFound();
            const isUnderWay = ["starting", "processing"].includes(job.state.status);
            if (isUnderWay && !job.state["isDeaf"]) job.state = { status: "canceled" };
            return { status: 200, json: predictionOf(job) };
          },
        },
        {
          name: "check",
          method: "GET",
          path: /\/account/,
          handle: () => ({
            status: 200,
            json: { type: "organization", username: "fake", name: "Fake" } satisfies Account,
          }),
        },
      ],
    };
  });
}

/** What Replicate sends to a job's callback address, signed at that time. */
export function replicateCallback(
  upstreamId: string,
  at: Date,
  secret = REPLICATE_SECRET,
): Callback {
  const body = Buffer.from(JSON.stringify({ id: upstreamId, status: "succeeded" }));
  const timestamp = `${Math.floor(at.getTime() / 1000)}`;
  const signature = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`msg_1.${timestamp}.`)
    .update(body)
    .digest("base64");
  return {
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${Buffer.from("an older key's").toString("base64")} v1,${signature}`,
    },
    body,
  };
}

const modelAt = (path: string) => /^\/models\/([^/]+\/[^/]+)\//.exec(path)?.[1];

function notFound(): FakeReply {
  return {
    status: 404,
    json: { title: "Not found", detail: "The requested resource could not be found.", status: 404 },
  };
}
