#!/usr/bin/env node
/** The command line `media-generation`; in this repository `npm run --silent media-generation -- COMMAND`. */
import { runProgram } from "./program.ts";

const stopping = new AbortController();
// NOTE: `on`, not `once`: both the terminal and npm send the SIGINT, and the second must not end the process early.
process.on("SIGINT", () => stopping.abort());
process.on("SIGTERM", () => stopping.abort());
// Who reads the output may have had enough, as `head` has.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

process.exitCode = await runProgram(process.argv.slice(2), process.env, process, stopping.signal);
