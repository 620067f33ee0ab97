/** The arguments of `npm start`: it has none but --help, because its settings are variables. */
import { StartError } from "./settings/start-error.ts";

const HELP = `npm start runs the whole service until Ctrl-C. Variables of the environment are its settings:

  PORT=22000 npm start    # another port than 8080
  DATA_DIR=/srv/media npm start    # another folder than .data for all that it keeps

docs/variables.md lists all variables. The running service has its documentation at /docs.
`;

/** What is printed in place of a start; undefined where it is to start. Throws StartError for an argument that is not known. */
export function answerTo(args: readonly string[]): string | undefined {
  const [first] = args;
  if (args.includes("--help") || args.includes("-h")) return HELP;
  if (first === undefined) return undefined;
  throw new StartError(
    `npm start has no argument ${first}: its settings are variables, such as PORT=22000 npm start. npm start -- --help names them.`,
  );
}
