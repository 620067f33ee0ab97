/** A fake Ark: Seedance tasks with their list and their deletion, and Seedream images. */
import type { Clock } from "#runtime/clock.ts";
import {
  QUOTE,
  RESULT_PATH,
  startFake,
  type FakeJob,
  type FakeReply,
  type FakeRequest,
  type FakeUpstream,
} from "./fake-upstream.ts";

type Body = {
  model?: string;
  content?: { type: string; role?: string }[];
  prompt?: string;
  size?: string;
  ratio?: string;
  resolution?: string;
  duration?: number;
  seed?: number;
  safety_identifier?: string;
};

const KEY = "ark-test-key";
const TASK = /\/contents\/generations\/tasks\/([^/]+)/;
const TERMINAL = new Set(["succeeded", "failed", "cancelled", "expired"]);

/** A refusal in its usual shape. */
export function arkError(status: number, code: string, message = QUOTE, param = ""): FakeReply {
  const error = { code, message: `${QUOTE}: ${message}`, param, type: "" };
  return { status, json: { error } };
}

export function startArk(clock: Clock, lists = { seeds: true }): Promise<FakeUpstream> {
  return startFake(({ url, jobs, record, look }) => {
    const created = new Map<string, number>();
    const nowSeconds = () => Math.floor(clock.now().getTime() / 1000);
    const known = (id: string) => jobs.some((job) => job.id === id && job.state.status !== "gone");
    const task = (job: FakeJob) => {
      const { model, seed, safety_identifier, ratio, resolution, duration } = job.request
        .json as Body;
      const content =
        job.state.status === "succeeded" ? { video_url: `${url()}${RESULT_PATH}` } : undefined;
      const created_at = created.get(job.id) ?? nowSeconds();
      const echoed = { model, seed, safety_identifier, ratio, resolution, duration };
      return { id: job.id, ...echoed, created_at, updated_at: created_at, content, ...job.state };
    };
    return {
      basePath: "/api/v3",
      key: KEY,
      isAuthorised: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
      unauthorised: arkError(401, "AuthenticationError", "the API key is missing or invalid"),
      notFound: { status: 404 },
      operations: [
        {
          name: "submit",
          method: "POST",
          path: /\/contents\/generations\/tasks/,
          handle: (request) => {
            const fault = videoFault(request);
            if (fault) return fault;
            const id = `cgt-20260601-${jobs.length + 1}`;
            record(request, id, { status: "succeeded" });
            created.set(id, nowSeconds());
            return { status: 200, json: { id } };
          },
        },
        {
          name: "check",
          method: "GET",
          path: /\/contents\/generations\/tasks/,
          handle: ({ query }) => {
            const size = Number(query.get("page_size") ?? 20);
            const start = (Number(query.get("page_num") ?? 1) - 1) * size;
            const items = jobs
              .filter(({ id }) => known(id))
              .toReversed()
              .slice(start, start + size)
              .map((job) => ({ ...task(job), ...(lists.seeds ? {} : { seed: undefined }) }));
            return { status: 200, json: { total: jobs.length, items } };
          },
        },
        {
          name: "poll",
          method: "GET",
          path: TASK,
          handle: (_, id = "") => {
            const job = look(id);
            return job && known(id)
              ? { status: 200, json: task(job) }
              : arkError(404, "ResourceNotFound");
          },
        },
        {
          name: "cancel",
          method: "DELETE",
          path: TASK,
          handle: (_, id = "") => {
            const job = jobs.find((one) => one.id === id);
            if (!job) return arkError(404, "ResourceNotFound");
            const { status } = job.state;
            if (status !== "queued" && !TERMINAL.has(status)) {
              return arkError(409, "InvalidAction.RunningTaskDeletion");
            }
            job.state = { status: TERMINAL.has(status) ? "gone" : "cancelled" };
            return { status: 200, json: {} };
          },
        },
        {
          name: "image",
          method: "POST",
          path: /\/images\/generations/,
          handle: (request) => imageFault(request) ?? arkImages({ url: `${url()}${RESULT_PATH}` }),
        },
      ],
    };
  });
}

/** A success with these entries, each with `url`, `b64_json` or an `error` of its own. */
export function arkImages(...data: object[]): FakeReply {
  return { status: 200, json: { model: "seedream", created: 1780315200, data } };
}

function videoFault({ json }: FakeRequest): FakeReply | undefined {
  const { content = [], ratio, resolution = "", duration = 0, seed = -1 } = json as Body;
  const pictures = content.filter(({ type }) => type === "image_url");
  const isFramed = pictures.some(({ role }) => role === "first_frame");
  const isSound =
    content[0]?.type === "text" &&
    /^(480p|720p|1080p|4k)$/.test(resolution) &&
    (isFramed ? ratio === "adaptive" : /^\d+:\d+$/.test(ratio ?? "")) &&
    Number.isInteger(duration) &&
    seed >= -1 &&
    seed <= 2 ** 32 - 1;
  return isSound ? undefined : arkError(400, "InvalidParameter");
}

function imageFault({ json }: FakeRequest): FakeReply | undefined {
  const { prompt, size = "" } = json as Body;
  return prompt && /^\d+x\d+$/.test(size) ? undefined : arkError(400, "MissingParameter");
}
