/** The command line whose output nobody reads any more. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

it("ends without an error, as head and the like expect", async () => {
  const args = ["clients/typescript/cli/main.ts", "--help"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect({ said, code: code as number }).toEqual({ said: "", code: 0 });
});
