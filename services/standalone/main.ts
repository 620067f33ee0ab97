/** `npm start`: the whole service with its servers, embedded or not, until Ctrl-C. */
import { endOnUncaught } from "#runtime/log.ts";
import { ConfigError } from "#runtime/env.ts";
import { answerTo } from "./arguments.ts";
import { readConfig } from "./settings/config.ts";
import { startStandalone } from "./start.ts";
import { StartError } from "./settings/start-error.ts";
import { welcome } from "./welcome.ts";

// NOTE: `on`, not `once`: Ctrl-C sends one signal from the terminal and one through npm; the second must not kill us.
const stop = new Promise<void>((resolve) => {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve());
});

endOnUncaught();
try {
  const answer = answerTo(process.argv.slice(2));
  if (answer === undefined) await run();
  else process.stdout.write(answer);
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const config = readConfig(process.env);
  await using service = await startStandalone(config);
  process.stdout.write(welcome(service, config));
  await stop;
  process.stdout.write("Stopping.\n");
}
