/** `npm start`: the whole service with its servers, embedded or not, until Ctrl-C. */
import { endOnUncaught } from "#runtime/log.ts";
import { ConfigError } from "#runtime/env.ts";
import { StartError } from "./settings/start-error.ts";

const HELP = `npm start runs the whole service until Ctrl-C. Variables of the environment are its settings:

  PORT=22000 npm start            uses another port than 8080
  DATA_DIR=/srv/media npm start   keeps everything in another folder than .data

docs/variables.md lists all variables. The running service has its documentation at /docs.
`;

// NOTE: `on`, not `once`: Ctrl-C sends one signal from the terminal and one through npm; the second must not kill us.
const stop = new Promise<void>((resolve) => {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve());
});

endOnUncaught();
try {
  const [argument, ...more] = process.argv.slice(2);
  if ([argument, ...more].some((one) => one === "--help" || one === "-h")) {
    process.stdout.write(HELP);
  } else if (argument !== undefined) {
    throw new StartError(
      `npm start has no argument ${argument}: its settings are variables, such as PORT=22000 npm start. npm start -- --help names them.`,
    );
  } else await run();
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof ConfigError;
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  // All else takes a second to load, and a wrong argument is refused without it.
  const { readConfig } = await import("./settings/config.ts");
  const { startStandalone } = await import("./start.ts");
  const { welcome } = await import("./welcome.ts");
  const config = readConfig(process.env);
  await using service = await startStandalone(config);
  process.stdout.write(welcome(service, config));
  await stop;
  process.stdout.write("Stopping.\n");
}
