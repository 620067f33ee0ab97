/** A fake Ark: Seedance tasks with their list and their deletion, and Seedream images. */
import type { Clock } from "#runtime/clock.ts";
import { QUOTE, RESULT_PATH, ok, on, startFake, type FakeJob, type FakeReply } from "./fake.ts";

type Body = {
  model?: string;
  ratio?: string;
  resolution?: string;
  duration?: number;
  seed?: number;
  safety_identifier?: string;
};

const TASKS = /\/contents\/generations\/tasks/;
const TASK = /\/contents\/generations\/tasks\/([^/]+)/;
const TERMINAL = new Set(["succeeded", "failed", "cancelled", "expired"]);

/** A refusal in its usual shape. */
export function arkError(status: number, code: string, message = QUOTE, param = ""): FakeReply {
  const error = { code, message: `${QUOTE}: ${message}`, param, type: "" };
  return { status, json: { error } };
}

export function startArk(clock: Clock) {
  return startFake(({ url, jobs, jobOf, record, look }) => {
    const created = new Map<string, number>();
    const nowSeconds = () => Math.floor(clock.now().getTime() / 1000);
    const task = (job: FakeJob) => {
      const { model, seed, safety_identifier, ratio, resolution, duration } = job.request
        .json as Body;
      const content =
        job.state.status === "succeeded" ? { video_url: `${url()}${RESULT_PATH}` } : undefined;
      const created_at = created.get(job.id) ?? nowSeconds();
      const echoed = { model, seed, safety_identifier, ratio, resolution, duration };
      return { id: job.id, ...echoed, created_at, updated_at: created_at, content, ...job.state };
    };
    const unknown = arkError(404, "ResourceNotFound");
    return {
      basePath: "/api/v3",
      key: "ark-test-key",
      unauthorised: arkError(401, "AuthenticationError", "the API key is missing or invalid"),
      notFound: { status: 404 },
      operations: {
        submit: on("POST", TASKS, (request) => {
          const id = `cgt-20260601-${jobs.length + 1}`;
          record(request, id, "succeeded");
          created.set(id, nowSeconds());
          return ok({ id });
        }),
        check: on("GET", TASKS, ({ query }) => {
          const size = Number(query.get("page_size") ?? 20);
          const start = (Number(query.get("page_num") ?? 1) - 1) * size;
          const listed = jobs
            .filter(({ state }) => state.status !== "gone")
            .toReversed()
            .map(task);
          const items = listed.slice(start, start + size).map(listedTask);
          return ok({ total: listed.length, items });
        }),
        poll: on("GET", TASK, (_, id = "") => look(id, (job) => ok(task(job)), unknown)),
        cancel: on("DELETE", TASK, (_, id = "") => {
          const job = jobOf(id);
          if (!job) return unknown;
          const { status } = job.state;
          if (status !== "queued" && !TERMINAL.has(status)) {
            return arkError(409, "InvalidAction.RunningTaskDeletion");
          }
          job.state = { status: TERMINAL.has(status) ? "gone" : "cancelled" };
          return ok({});
        }),
        image: on("POST", /\/images\/generations/, () =>
          arkImages({ url: `${url()}${RESULT_PATH}` }),
        ),
      },
    };
  });
}

/** A success with these entries, each with `url`, `b64_json` or an `error` of its own. */
export const arkImages = (...data: object[]) =>
  ok({ model: "seedream", created: 1780315200, data });

/** In lists, a failed task has a reason in place of its error. */
function listedTask({ error, ...task }: { id: string; error?: unknown }): object {
  return error === undefined ? task : { ...task, failure_reason: error };
}
