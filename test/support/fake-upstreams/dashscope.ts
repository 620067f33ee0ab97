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
            if (!isTask(request)) return dashscopeError(403, "AccessDenied");
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
          handle: (request) =>
            isTask(request)
              ? dashscopeError(403, "AccessDenied")
              : picturesOf(request, `${url()}${RESULT_PATH}`),
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

/** Video models are asked with the header for tasks, image models here without it. */
const isTask = ({ headers }: FakeRequest) => headers["x-dashscope-async"] === "enable";

function picturesOf({ json }: FakeRequest, url: string): FakeReply {
  const { parameters } = json as { parameters?: { n?: number } };
  const count = parameters?.n ?? 1;
  return dashscopeImages(...Array.from({ length: count }, () => url));
}
