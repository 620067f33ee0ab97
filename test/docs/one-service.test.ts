/** The commands of docs/one-service.md work as they are on the page. */
import { expect, it } from "vitest";
import { runPage } from "./page-commands.ts";

it("runs billing alone by the commands of docs/one-service.md", async () => {
  const output = await runPage("docs/one-service.md", { env: {}, timeoutMs: 590_000 });
  expect(output).toContain('"available": "100000"');
  expect(output).toContain("TRANSACTION_TYPE_RECHARGE");
  expect(output).toContain("media_ready 1");
}, 600_000);
