/** The tools that openapi-mcp-server, a program of others, makes of a served document, as an agent has them. */
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { pick, PASSED_ON } from "../../support/own-environment.ts";

/** `url` is the service's, without /v1. */
export async function agentTools(url: string, key: string): Promise<Client & AsyncDisposable> {
  const args = [
    resolve("node_modules/@ivotoby/openapi-mcp-server/bin/mcp-server.js"),
    `--openapi-spec=${url}/openapi.json`,
    `--api-base-url=${url}/v1`,
    `--headers=Authorization:Bearer ${key}`,
    "--disable-abbreviation=true",
  ];
  const env = pick(process.env, PASSED_ON);
  const agent = new Client({ name: "a test", version: "1.0.0" });
  await agent.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
  );
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.close() });
}
