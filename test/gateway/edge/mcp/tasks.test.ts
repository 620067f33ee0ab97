/** Generations as tasks of MCP, for requests whose client says that it takes them. */
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Status, type Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { video, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { rawRequest } from "./clients.ts";

const EXTENSIONS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const CREATE = {
  name: "generate_video",
  arguments: { model: "beta-3.0-video", prompt: "a cat", idempotency_key: "cat-1" },
};
const VIDEO_ID = "vgen_2zjrwfavgwd8tj2ht7shw0cw42";
const FILE = { contentType: "video/mp4", width: 1280, height: 720, bytes: 9n, duration: 5 };

const harness = useHarness();

type Answer = {
  result?: Record<string, unknown> & { content?: unknown };
  error?: { code: number; message: string; data?: unknown };
};

async function ask(
  method: string,
  params: Record<string, unknown>,
  capabilities: object = EXTENSIONS,
) {
  const init = rawRequest(harness.key.secret, method, params, capabilities);
  return (await (await harness.send("/mcp", init)).json()) as Answer;
}

const idOf = (request: object | undefined) =>
  (request as { generationId: string } | undefined)?.generationId;

const isNow = (fields: Partial<Generation>) => {
  harness.backends.getGeneration = ({ generationId: id }) => ({
    generation: video({ id, ...fields } as never),
  });
};

describe("a task", () => {
  it("is offered, and takes the place of a video that goes on, under the same id", async () => {
    const { result: discovered } = await ask("server/discover", {});
    expect(discovered).toMatchObject({ capabilities: EXTENSIONS });
    const { result } = await ask("tools/call", CREATE);
    const [created] = harness.calls.filter(({ method }) => method === "createVideo");
    expect(result).toMatchObject({
      resultType: "task",
      taskId: idOf(created?.request),
      status: "working",
      ttlMs: null,
      createdAt: "2026-11-17T12:01:22.107Z",
    });
  });

  it("is never answered to a request that does not say that its client takes one", async () => {
    const { result } = await ask("tools/call", CREATE, {});
    expect(result).toMatchObject({
      resultType: "complete",
      structuredContent: { status: "pending" },
    });
  });

  it("works, then is completed with what the tool would have answered", async () => {
    isNow({ status: Status.PROCESSING, progress: 40 });
    const { result: working } = await ask("tasks/get", { taskId: VIDEO_ID });
    expect(working).toMatchObject({ resultType: "complete", taskId: VIDEO_ID, status: "working" });
    expect(working).not.toHaveProperty("result");
    isNow({ status: Status.SUCCESS, output: [{ key: "a.mp4", ...FILE }] as never });
    const { result } = await ask("tasks/get", { taskId: VIDEO_ID });
    const link = { type: "resource_link", uri: "https://media.example.com/assets/a.mp4" };
    expect(result).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text" }, link], structuredContent: { status: "success" } },
    });
  });

  it("is canceled with its video, and stays when that goes on", async () => {
    isNow({ status: Status.PROCESSING });
    expect((await ask("tasks/cancel", { taskId: VIDEO_ID })).result).toBeDefined();
    expect(harness.calls.filter(({ method }) => method === "cancelGeneration")).toHaveLength(1);
    harness.backends.cancelGeneration = refusing("NOT_CANCELABLE", "It goes on.");
    expect((await ask("tasks/cancel", { taskId: VIDEO_ID })).result).toBeDefined();
    isNow({ status: Status.CANCELED });
    const { result } = await ask("tasks/get", { taskId: VIDEO_ID });
    expect(result).toMatchObject({ status: "cancelled" });
    await ask("tasks/cancel", { taskId: VIDEO_ID });
    expect(harness.calls.filter(({ method }) => method === "cancelGeneration")).toHaveLength(2);
  });

  it("asks for nothing, so that an update changes nothing", async () => {
    const { result } = await ask("tasks/update", { taskId: VIDEO_ID, inputResponses: {} });
    expect(result).toMatchObject({ resultType: "complete" });
  });

  it("that is not there, or of no one's, is an error of the parameters", async () => {
    harness.backends.getGeneration = refusing("NOT_FOUND", "not found");
    for (const taskId of [VIDEO_ID, "nonsense", "../balance"]) {
      expect((await ask("tasks/get", { taskId })).error).toMatchObject({ code: -32_602 });
    }
    expect((await ask("tasks/get", {})).error).toMatchObject({ code: -32_602 });
  });

  it("is told to no request that does not say that its client takes one", async () => {
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await ask(method, { taskId: VIDEO_ID }, {});
      expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: EXTENSIONS } });
    }
    expect(harness.calls).toEqual([]);
  });

  it("that cannot be read now is not taken for one that is not there, and nothing is said of the cause", async () => {
    harness.backends.getGeneration = () => {
      throw new ConnectError("the password is 1234", Code.Internal);
    };
    const answer = await ask("tasks/get", { taskId: VIDEO_ID });
    expect(answer.error).toMatchObject({ code: -32_603 });
    expect(JSON.stringify(answer)).not.toContain("1234");
  });
});
