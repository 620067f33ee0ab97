/** A fake DashScope: the three video dialects, its tasks, and images within the call. */
import {
  QUOTE,
  RESULT_PATH,
  ok,
  on,
  startFake,
  type FakeJob,
  type FakeReply,
  type FakeRequest,
} from "./fake.ts";

const VIDEO = /\/api\/v1\/services\/aigc\/video-generation\/video-synthesis/;
const IMAGE = /\/api\/v1\/services\/aigc\/multimodal-generation\/generation/;
const request_id = "7574ee8f-38a3-4b1e-9280-11c33ab46e51";

/** A refusal in its flat shape. */
export function dashscopeError(status: number, code: string, message = QUOTE): FakeReply {
  return { status, json: { code, message: `${QUOTE}: ${message}`, request_id } };
}

export function startDashscope() {
  return startFake(({ url, jobs, jobOf, record, look }) => {
    const task = (job: FakeJob): FakeReply => {
      const { status: task_status, ...detail } = job.state;
      const result =
        task_status === "SUCCEEDED" ? { video_url: `${url()}${RESULT_PATH}?Expires=1` } : {};
      return taskReply({ task_id: job.id, task_status, ...result, ...detail });
    };
    const picturesOf = ({ json }: FakeRequest) => {
      const { parameters } = json as { parameters?: { n?: number } };
      const count = parameters?.n ?? 1;
      return dashscopeImages(...Array.from({ length: count }, () => `${url()}${RESULT_PATH}`));
    };
    return {
      key: "sk-dashscope-test-key",
      unauthorised: dashscopeError(401, "InvalidApiKey", "Invalid API-key provided."),
      notFound: { status: 404 },
      operations: {
        submit: on("POST", VIDEO, (request) => {
          if (!isTask(request)) return dashscopeError(403, "AccessDenied");
          const id = `task-${jobs.length + 1}`;
          record(request, id, "SUCCEEDED");
          return taskReply({ task_status: "PENDING", task_id: id });
        }),
        image: on("POST", IMAGE, (request) =>
          isTask(request) ? dashscopeError(403, "AccessDenied") : picturesOf(request),
        ),
        check: on("GET", /\/api\/v1\/tasks/, () => ok({ request_id, total: 0, data: [] })),
        poll: on("GET", /\/api\/v1\/tasks\/([^/]+)/, (_, id = "") =>
          look(id, task, taskReply({ task_id: id, task_status: "UNKNOWN" })),
        ),
        cancel: on("POST", /\/api\/v1\/tasks\/([^/]+)\/cancel/, (_, id = "") => {
          const job = jobOf(id);
          if (job?.state.status !== "PENDING") return dashscopeError(400, "UnsupportedOperation");
          job.state = { status: "CANCELED" };
          return ok({ request_id });
        }),
      },
    };
  });
}

/** A success with these images, each a URL or base64. */
export function dashscopeImages(...images: string[]): FakeReply {
  const content = images.map((image) => ({ type: "image", image }));
  const choices = [{ finish_reason: "stop", message: { role: "assistant", content } }];
  return taskReply({ finished: true, choices });
}

const taskReply = (output: object): FakeReply => ok({ request_id, output });

/** Video models are asked with the header for tasks, image models here without it. */
const isTask = ({ headers }: FakeRequest) => headers["x-dashscope-async"] === "enable";
