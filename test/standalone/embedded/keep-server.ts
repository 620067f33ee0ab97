/** Run by tests as a process of its own: starts a part in a folder, says its number, and stays until killed. */
import { pino } from "pino";
import { startNats } from "../../../services/standalone/embedded/nats/server.ts";
import { startPostgres } from "../../../services/standalone/embedded/postgres/server.ts";

const [part, directory = "", port] = process.argv.slice(2);
const start = part === "nats" ? startNats : startPostgres;
await start({ directory, port: Number(port), log: pino({ enabled: false }) });
process.stdout.write("ready\n");
setInterval(() => {}, 60_000);
