/** A fake of Replicate's API: its documented answers and callbacks. */
import { randomUUID } from "node:crypto";
import type { Account, Prediction } from "replicate";
import type { Callback } from "../../../services/generation/providers/provider.ts";
import type { ManualClock } from "../manual-clock.ts";
import { ok, on, RESULT_PATH, startFake, type FakeJob, type FakeReply } from "./fake.ts";

type Sent = { version?: string; input: object; webhook?: string };

const PAGE = 2;
const problem = (status: number, title: string, detail: string): FakeReply => ({
  status,
  json: { title, detail, status },
});
const NOT_FOUND = problem(404, "Not found", "The requested resource could not be found.");

/** A state's `output`, `error` and `data_removed` are told as they are; one that `isDeaf` ignores a cancel. */
export function startReplicateFake(clock: ManualClock) {
  return startFake(({ url, record, look, jobs, jobOf }) => {
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
    return {
      basePath: "/v1",
      key: "r8_fake",
      unauthorised: problem(
        401,
        "Unauthenticated",
        "You did not pass a valid authentication token",
      ),
      notFound: NOT_FOUND,
      operations: {
        submit: on("POST", /(?:\/models\/[\w.-]+\/[\w.-]+)?\/predictions/, (request) => {
          const id = randomUUID().replaceAll("-", "").slice(0, 26);
          createdAt.set(id, clock.now().toISOString());
          return { status: 201, json: predictionOf(record(request, id, "starting")) };
        }),
        list: on("GET", /\/predictions/, ({ query }) => {
          const from = Number(query.get("cursor") ?? 0);
          const next = `${url()}/v1/predictions?cursor=${from + PAGE}`;
          return ok({
            previous: null,
            next: from + PAGE < jobs.length ? next : null,
            results: jobs
              .toReversed()
              .slice(from, from + PAGE)
              .map(predictionOf),
          });
        }),
        poll: on("GET", /\/predictions\/(\w+)/, (_request, id = "") =>
          look(id, (job) => ok(predictionOf(job)), NOT_FOUND),
        ),
        cancel: on("POST", /\/predictions\/(\w+)\/cancel/, (_request, id = "") => {
          const job = jobOf(id);
          if (!job) return NOT_FOUND;
          const isUnderWay = ["starting", "processing"].includes(job.state.status);
          if (isUnderWay && !job.state["isDeaf"]) job.state = { status: "canceled" };
          return ok(predictionOf(job));
        }),
        check: on("GET", /\/account/, () =>
          ok({ type: "organization", username: "fake", name: "Fake" } satisfies Account),
        ),
      },
    };
  });
}

/** What Replicate sends to a job's callback address; its signature is left out. */
export const replicateCallback = (id: string): Callback => ({
  body: Buffer.from(JSON.stringify({ id, status: "succeeded" })),
});

const modelAt = (path: string) => /^\/models\/([^/]+\/[^/]+)\//.exec(path)?.[1];
