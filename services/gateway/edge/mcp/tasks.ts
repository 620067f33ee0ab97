/** The Tasks extension (SEP-2663): a generation that goes on is a task of the same id. No state is kept for it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type McpServer,
  type ServerContext,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server";
import { isTerminal } from "#vocabulary/generation-status.ts";
import type { PublicImage, PublicVideo } from "#vocabulary/public-generation.ts";
import { ApiRefusal } from "./call-api.ts";

export type PublicGeneration = PublicVideo | PublicImage;

export const TASKS = "io.modelcontextprotocol/tasks";
const REQUIRED = { extensions: { [TASKS]: {} } };

const POLL_MS = 5_000;

/** Whether this request says that its client takes tasks. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.extensions?.[TASKS] !== undefined;
}

/** A task in place of a tool's answer. */
export function asTask(generation: PublicGeneration): CallToolResult {
  return { resultType: "task", ...taskOf(generation) } as unknown as CallToolResult;
}

export type TaskOperations = {
  read: (id: string) => Promise<PublicGeneration>;
  /** Asks for its end, which may come too late. */
  cancel: (id: string) => Promise<void>;
  /** What the tool would have answered at the end. */
  result: (generation: PublicGeneration) => CallToolResult;
};

export function addTasks({ server }: McpServer, { read, cancel, result }: TaskOperations): void {
  const add = (method: string, answer: (id: string) => Promise<Record<string, unknown>>) =>
    server.setRequestHandler(method, { params: TASK_ID }, async ({ taskId }, context) => {
      if (!takesTasks(context)) {
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: REQUIRED });
      }
      return answer(taskId).catch((error: unknown) => {
        throw error instanceof ApiRefusal ? protocolError(error) : error;
      });
    });
  add("tasks/get", async (id) => {
    const generation = await read(id);
    const task = taskOf(generation);
    return task.status === "completed" ? { ...task, result: result(generation) } : task;
  });
  // No task ever asks for input.
  add("tasks/update", async (id) => {
    await read(id);
    return {};
  });
  add("tasks/cancel", async (id) => {
    const { status } = await read(id);
    if (!isTerminal(status)) await cancel(id);
    return {};
  });
}

/** One that failed is complete, with a result that says so: the protocol keeps "failed" for its own errors. */
function taskOf(generation: PublicGeneration) {
  const {
    id,
    status,
    created_at: createdAt,
    started_at: startedAt,
    completed_at: endedAt,
  } = generation;
  return {
    taskId: id,
    status: isTerminal(status) ? (status === "canceled" ? "cancelled" : "completed") : "working",
    statusMessage: `The generation is ${status}, ${generation.progress} %.`,
    createdAt,
    lastUpdatedAt: endedAt ?? startedAt ?? createdAt,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

const TASK_ID: StandardSchemaV1<{ taskId: string }> = {
  "~standard": {
    version: 1,
    vendor: "media-generation",
    validate: (params) => {
      const { taskId } = params as { taskId?: unknown };
      return typeof taskId === "string"
        ? { value: { taskId } }
        : { issues: [{ message: "taskId has to be a string." }] };
    },
  },
};

/** A client forgets a task of which it hears that its id is wrong, and asks again after any other error. */
function protocolError({ error: { type, code, message } }: ApiRefusal): ProtocolError {
  const isWrong = type === "not_found_error" || code === "gone";
  const { InvalidParams, InternalError } = ProtocolErrorCode;
  return new ProtocolError(isWrong ? InvalidParams : InternalError, message);
}
