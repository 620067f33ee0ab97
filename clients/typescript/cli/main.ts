#!/usr/bin/env node
/** The command line `media-generation`; in this repository `npm run --silent media-generation -- COMMAND`. */
import { runProgram } from "./program.ts";

const stopping = new AbortController();
// NOTE: `on`, not `once`: both the terminal and npm send the SIGINT, and the second must not end the process early.
process.on("SIGINT", () => stopping.abort());
process.on("SIGTERM", () => stopping.abort());

process.exitCode = await runProgram(process.argv.slice(2), process.env, process, stopping.signal);
