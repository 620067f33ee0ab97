/** A fake DashScope: the three video dialects, its tasks, and images within the call. */
import { addMs, type Clock } from "#runtime/clock.ts";
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
  input?: {
    prompt?: string;
    negative_prompt?: string;
    img_url?: string;
    media?: { type: string; url: string }[];
  };
  parameters?: Record<string, unknown>;
};

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY = "sk-dashscope-test-key";
const request_id = "7574ee8f-38a3-4b1e-9280-11c33ab46e51";

/** A refusal in its flat shape. */
export function dashscopeError(status: number, code: string, message = QUOTE): FakeReply {
  return { status, json: { code, message: `${QUOTE}: ${message}`, request_id } };
}

export function startDashscope(clock: Clock): Promise<FakeUpstream> {
  return startFake(({ url, jobs, record, look }) => {
    const expiry = new Map<string, Date>();
    const task = (job: FakeJob): FakeReply => {
      const isOld = clock.now() > (expiry.get(job.id) ?? clock.now());
      const { status: task_status, ...detail } = isOld ? { status: "UNKNOWN" } : job.state;
      const result =
        task_status === "SUCCEEDED" ? { video_url: `${url()}${RESULT_PATH}?Expires=1` } : {};
      const output = { task_id: job.id, task_status, ...result, ...detail };
      return { status: 200, json: { request_id, output } };
    };
    const unknown = (id: string): FakeReply => ({
      status: 200,
      json: { request_id, output: { task_id: id, task_status: "UNKNOWN" } },
    });
    return {
      key: KEY,
      isAuthorised: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
      unauthorised: dashscopeError(401, "InvalidApiKey", "Invalid API-key provided."),
      notFound: { status: 404 },
      operations: [
        {
          name: "submit",
          method: "POST",
          path: /\/api\/v1\/services\/aigc\/video-generation\/video-synthesis/,
          handle: (request) => {
            const fault = videoFault(request);
            if (fault) return fault;
            const id = `task-${jobs.length + 1}`;
            record(request, id, { status: "SUCCEEDED" });
            expiry.set(id, addMs(clock.now(), KEPT_MS));
            return {
              status: 200,
              json: { request_id, output: { task_status: "PENDING", task_id: id } },
            };
          },
        },
        {
          name: "image",
          method: "POST",
          path: /\/api\/v1\/services\/aigc\/multimodal-generation\/generation/,
          handle: (request) => imageFault(request) ?? dashscopeImages(`${url()}${RESULT_PATH}`),
        },
        {
          name: "check",
          method: "GET",
          path: /\/api\/v1\/tasks/,
          handle: () => ({ status: 200, json: { request_id, total: 0, data: [] } }),
        },
        {
          name: "poll",
          method: "GET",
          path: /\/api\/v1\/tasks\/([^/]+)/,
          handle: (_, id = "") => {
            const job = look(id);
            return job ? task(job) : unknown(id);
          },
        },
        {
          name: "cancel",
          method: "POST",
          path: /\/api\/v1\/tasks\/([^/]+)\/cancel/,
          handle: (_, id = "") => {
            const job = jobs.find((one) => one.id === id);
            if (job?.state.status !== "PENDING") return dashscopeError(400, "UnsupportedOperation");
            job.state = { status: "CANCELED" };
            return { status: 200, json: { request_id } };
          },
        },
      ],
    };
  });
}

/** A success with these images, each a URL or base64. */
export function dashscopeImages(...images: string[]): FakeReply {
  const content = images.map((image) => ({ type: "image", image }));
  const choices = [{ finish_reason: "stop", message: { role: "assistant", content } }];
  return { status: 200, json: { request_id, output: { finished: true, choices } } };
}

/** The rules that are documented for the models' dialects. */
function videoFault({ headers, json }: FakeRequest): FakeReply | undefined {
  if (headers["x-dashscope-async"] !== "enable") return dashscopeError(403, "AccessDenied");
  const { model = "", input = {}, parameters = {} } = json as Body;
  const has = (name: string) => parameters[name] !== undefined;
  if (!/^wan(2\.6|2\.7|3\.0)-/.test(model)) return dashscopeError(404, "ModelNotFound");
  const isOld = model.startsWith("wan2.6");
  const isSound = isOld
    ? !input.media && !has("ratio") && has("size") !== has("resolution")
    : !input.img_url && !has("size") && has("resolution");
  const frames = input.media?.some(({ type }) => type === "first_frame") ?? false;
  const isFramed = frames || input.img_url !== undefined;
  const isNew = model.startsWith("wan3.0");
  const isFree = isFramed && !isNew ? !has("ratio") && !has("size") : has("size") || has("ratio");
  const isTimed = Number.isInteger(parameters["duration"]);
  const isRead = !isNew || input.negative_prompt === undefined;
  return input.prompt && isSound && isFree && isTimed && isRead
    ? undefined
    : dashscopeError(400, "InvalidParameter", "the request does not fit the model");
}

function imageFault({ headers, json }: FakeRequest): FakeReply | undefined {
  if (headers["x-dashscope-async"] !== undefined) return dashscopeError(403, "AccessDenied");
  const { parameters = {} } = json as Body;
  return parameters["n"] === 1 && /^\d+\*\d+$/.test(String(parameters["size"]))
    ? undefined
    : dashscopeError(400, "InvalidParameter");
}
