/** A program for tests: starts an embedded server, prints "ready" and runs until killed. */
import { pino } from "pino";
import { startNats } from "../../../services/standalone/embedded/nats-server.ts";
import { startPostgres } from "../../../services/standalone/embedded/postgres-server.ts";

const [kind, directory = "", port] = process.argv.slice(2);
const start = kind === "NATS" ? startNats : startPostgres;
await start({ directory, port: Number(port), log: pino({ enabled: false }) });
process.stdout.write("ready\n");
setInterval(() => {}, 60_000);
