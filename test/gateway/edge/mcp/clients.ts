/** The official clients of both eras of MCP, as programs connect them to /mcp with an API key. */
import { Client as Client2026, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export type ToolResult = {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  content: { type: string; text?: string; uri?: string; mimeType?: string; name?: string }[];
};

export type CallOptions = {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number }) => void;
};

export type McpClient = AsyncDisposable & {
  tools: () => Promise<
    { name: string; description?: string; inputSchema: unknown; outputSchema?: unknown }[]
  >;
  call: (name: string, input?: object, options?: CallOptions) => Promise<ToolResult>;
  /** The protocol's version that was agreed on. */
  version: () => string | undefined;
  instructions: () => string | undefined;
};

export type Connect = (url: string, key: string) => Promise<McpClient>;

const INFO = { name: "test", version: "1" };

const init = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

export const modern: Connect = async (url, key) => {
  const client = new Client2026(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), init(key)));
  return {
    tools: async () => (await client.listTools()).tools as never,
    call: async (name, input = {}, options = {}) =>
      (await client.callTool({ name, arguments: { ...input } }, options)) as ToolResult,
    version: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    [Symbol.asyncDispose]: () => client.close(),
  };
};

const legacy: Connect = async (url, key) => {
  const client = new Client2025(INFO);
  const transport = new Transport2025(new URL(`${url}/mcp`), init(key));
  await client.connect(transport as never);
  return {
    tools: async () => (await client.listTools()).tools as never,
    call: async (name, input = {}, options = {}) =>
      (await client.callTool({ name, arguments: { ...input } }, undefined, options)) as ToolResult,
    version: () => transport.protocolVersion,
    instructions: () => client.getInstructions(),
    [Symbol.asyncDispose]: () => client.close(),
  };
};

/** Both, with the version that they speak. */
export const CLIENTS: readonly (readonly [version: string, connect: Connect])[] = [
  ["2026-07-28", modern],
  ["2025-11-25", legacy],
];

/** What a client of 2026-07-28 without capabilities of its own sends for a request. */
export function rawRequest(
  key: string,
  method: string,
  params: Record<string, unknown>,
): { method: "POST"; headers: Record<string, string>; body: string } {
  const { name } = params;
  return {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name as string }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": INFO,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  };
}
