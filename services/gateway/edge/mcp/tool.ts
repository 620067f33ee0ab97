/** What a tool is, and what it may use of one request. */
import type { CallToolResult, ToolAnnotations } from "@modelcontextprotocol/server";
import type { FastifyRequest } from "fastify";
import type { CallApi } from "./call-api.ts";

export type ToolRequest = {
  /** The JSON-RPC message, not checked; undefined where the request is no POST. */
  message: unknown;
  /** Calls the REST API as the client. */
  call: CallApi;
  /** The admitted request, which has the caller. */
  request: FastifyRequest;
  /** Aborts when the client has left, which changes nothing of what it has asked for. */
  signal: AbortSignal;
};

export type ToolContext = ToolRequest & {
  /** Tells the client how far it is; undefined where it has not asked for that. */
  report: Report | undefined;
};

export type Report = (progress: number, message: string) => Promise<void>;

/** A JSON schema of an object. */
export type Schema = { properties?: Record<string, unknown> } & Record<string, unknown>;

export type Tool = {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  /** What is checked. */
  input: Schema;
  run: (input: never, context: ToolContext) => Promise<CallToolResult>;
};

/** A tool whose input, once checked, is an `In`. */
export function tool<In>(
  of: Omit<Tool, "run"> & { run: (input: In, context: ToolContext) => Promise<CallToolResult> },
): Tool {
  return of as Tool;
}

export function objectOf(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The same for programs and as text. */
export function resultOf(content: object): CallToolResult {
  return {
    structuredContent: { ...content },
    content: [{ type: "text", text: JSON.stringify(content) }],
  };
}
