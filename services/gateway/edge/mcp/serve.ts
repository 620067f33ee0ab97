/** The MCP server: its tools, in both eras of the protocol. Loaded with the first request only. */
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ListToolsResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { VERSION } from "#runtime/version.ts";
import type { ModeName } from "#vocabulary/names.ts";
import { invalidRequest, problemResponse, toProblem, type Problem } from "../http/problem.ts";
import { callerOf } from "../http/request-state.ts";
import type { Deps } from "../operations/deps.ts";
import { catalogFor, presentModel, withModelValues, withTaken } from "../operations/models.ts";
import type { Checker } from "../validation/checker.ts";
import { CLIENTS_SEND_FILES } from "../validation/message.ts";
import { shown, type PublicError, type Report, type Tool, type ToolRequest } from "./tool.ts";
import { PRICES, toolsOf } from "./tools.ts";

export type ServeMcp = (web: Request, of: ToolRequest) => Promise<Response>;

type ReadyTool = Tool & { check: Checker };
type Listed = ListToolsResult["tools"];
type List = (of: ToolRequest) => Promise<Listed>;

const MODES: Readonly<Record<ModeName, string>> = {
  live: "This API key is of live mode: what you make is real and is charged.",
  test: "This API key is of test mode: a simulator makes the outputs, for test Tokens only.",
};

export function serveMcp(deps: Deps): ServeMcp {
  const { contract } = deps;
  const tools = toolsOf(deps, contract.document).map((tool): ReadyTool => ({
    ...tool,
    check: contract.checkerFor("body", tool.input),
  }));
  let last: { fields: string; tools: Listed } | undefined;
  /** Without the fields that none of the models takes. */
  const list: List = async (of) => {
    const models = (await catalogFor(of).catch(() => [])).map(presentModel);
    const fields = JSON.stringify(models.map((model) => [model.kind, model.fields]));
    if (last?.fields === fields) return last.tools;
    const listed = toolsOf(deps, withTaken(contract.document, models)).map((tool) => {
      const { name, title, description, annotations, input, output: outputSchema } = tool;
      return { name, title, description, annotations, inputSchema: shown(input), outputSchema };
    });
    last = { fields, tools: listed as Listed };
    return last.tools;
  };
  return async (web, of) => {
    const hosts = [new URL(deps.publicUrl()).hostname, ...localhostAllowedHostnames()];
    const foreign =
      hostHeaderValidationResponse(web, hosts) ?? originValidationResponse(web, hosts);
    if (foreign) return foreign;
    const handler = createMcpHandler(() => serverFor(of, tools, list), {
      // The tools never change while the service runs.
      maxSubscriptions: 0,
      onerror: (error) => deps.log.debug({ err: error, request_id: of.request.id }, "MCP refusal"),
    });
    return handler.fetch(web, { parsedBody: of.message });
  };
}

/** It checks the inputs itself, which says more than the library's own check. */
function serverFor(of: ToolRequest, tools: readonly ReadyTool[], list: List): Server {
  const { mode } = callerOf(of.request);
  const server = new Server(
    { name: "media-generation", version: VERSION },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: `Makes videos and images. Begin with list_models, which says what each model takes and costs. Before generate_video and generate_image: ${PRICES} ${MODES[mode]}`,
    },
  );
  server.setRequestHandler("tools/list", async () => ({ tools: await list(of) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: sent = {} } = params;
    // Null means absent, as in the bodies of the API.
    const input = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${name} not found`);
    try {
      const faults = tool.check(input);
      if (faults.length > 0) throw invalidRequest(await withModelValues(of, input, faults, name));
      return await tool.run(input as never, { ...of, report: reporterOf(context) });
    } catch (error) {
      return refusal(of, name, toProblem(error));
    }
  });
  return server;
}

/** The tools in place of the requests that messages name. */
const TOOLS: readonly [request: string | RegExp, tool: string][] = [
  ["GET /v1/models", "list_models"],
  [/is not a model of this route.*\/(video|image)s\/generations/g, "makes $1s: use generate_$1"],
  ["POST /v1/files", "upload_image"],
  ["Idempotency-Key", "idempotency_key"],
  [" without spaces, or none", " without spaces"],
  [CLIENTS_SEND_FILES, ""],
];

type Said = Pick<PublicError, "code" | "message" | "param">;

/** The fault as a client of the tool reads it. */
function inTools<F extends Said>(tool: string, fault: F): F {
  const isSentFile = tool === "upload_image" && fault.param === "file";
  return {
    ...fault,
    ...(isSentFile && fault.code !== "unknown_field" && { param: "data" }),
    message: TOOLS.reduce((said, [request, own]) => said.replaceAll(request, own), fault.message),
  };
}

/** A model reads what went wrong, and can change its call: each fault with its field, its code and what is allowed. */
function refusal({ deps, request }: ToolRequest, tool: string, problem: Problem): CallToolResult {
  if (problem.cause !== undefined && problem.code === "internal")
    deps.log.error({ err: problem.cause, request_id: request.id }, "tool failed");
  const { body } = problemResponse(deps.contract, problem, request.id, deps.publicUrl);
  const { errors, ...first } = body.error as PublicError;
  const own = errors?.map((fault) => inTools(tool, fault));
  const error = { ...inTools(tool, first), ...(own && { errors: own }) };
  const lines = (error.errors ?? [error]).map(({ code, param, message }) => {
    const where = param === undefined ? "" : `${param}, `;
    return `${message} (${where}${code})`;
  });
  if (error.details !== undefined) lines.push(JSON.stringify(error.details));
  return {
    isError: true,
    structuredContent: { error },
    content: [{ type: "text", text: lines.join("\n") }],
  };
}

/** Sends progress to a client that has asked for it: always more than before, as the protocol wants it. */
function reporterOf({ mcpReq }: ServerContext): Report | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return async (percent, message) => {
    last = Math.max(percent, last + 0.01);
    const params = { progressToken, progress: last, total: 100, message };
    // A client that has gone changes nothing for the generation.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
