/** The commands of docs/separate-processes.md work as they are on the page. */
import { expect, it } from "vitest";
import { runPage } from "./page-commands.ts";

it("makes a video with each service in a process of its own by the commands of docs/separate-processes.md", async () => {
  const fast = { SIMULATOR_RENDER: "fixture", SIMULATOR_PACE_MS: "0" };
  const output = await runPage("docs/separate-processes.md", { env: fast, timeoutMs: 590_000 });
  expect(output).toMatch(/"status": ?"success"/);
  expect(output).toMatch(/ [1-9]\d* .*video\.mp4/);
}, 600_000);
