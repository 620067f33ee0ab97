/** Starts a replica of a peer in a process of its own, says its id, and never ends. */
import { startProcess } from "./process.ts";

const replica = startProcess("test/runtime/rpc/client/replica-process.ts", {});
await replica.says("listening on ");
process.stdout.write(`started ${replica.pid}\n`);
