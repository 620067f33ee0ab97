/** What a gateway that nobody asks for MCP holds in memory. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const PROGRAM = `
  import { registerHooks } from "node:module";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import("./services/gateway/service.ts");
  const before = loaded.filter((url) => url.includes("/@modelcontextprotocol/")).length;
  await import("./services/gateway/edge/mcp/serve.ts");
  const after = loaded.filter((url) => url.includes("/@modelcontextprotocol/")).length;
  console.log(JSON.stringify({ before, isSeen: after > 0 }));
`;

it("has nothing of MCP's library, which comes with the first request", () => {
  const told = execFileSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    encoding: "utf8",
  });
  expect(JSON.parse(told)).toEqual({ before: 0, isSeen: true });
});
