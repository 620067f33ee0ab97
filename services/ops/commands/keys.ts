/** `keys`: makes and rotates the keys with which services sign their calls. */
import { Argument, Command } from "commander";
import { systemClock } from "#runtime/clock.ts";
import { KEY_OWNERS, openIdentities, type KeyOwner } from "../setup/identities.ts";
import { jsonOption, parseDuration } from "./options.ts";
import { rotateKey } from "../setup/rotate-key.ts";
import { print } from "../session/session.ts";

export function keysCommand(): Command {
  return new Command("keys")
    .description("the keys with which services sign their calls")
    .addCommand(initCommand())
    .addCommand(rotateCommand());
}

function initCommand(): Command {
  return new Command("init")
    .description("make a private key for each service and the operator, and trusted.json")
    .requiredOption("--directory <path>", "where to write them; nothing is overwritten")
    .addOption(jsonOption())
    .action(async (options: { directory: string; json?: boolean }) => {
      const { trustedFile } = await openIdentities(options.directory);
      print(options.json, { trusted_keys_file: trustedFile });
    });
}

type RotateOptions = { directory: string; after: number; json?: boolean };

const NEXT_STEPS = {
  trusted: "give trusted.json to every service, then repeat this command",
  used: "give this key to its service; the earlier key stays trusted until the next rotation",
};

function rotateCommand(): Command {
  return new Command("rotate")
    .description("give a service another key, in two runs: first it is trusted, then it is used")
    .addArgument(new Argument("<service>", "whose key").choices(KEY_OWNERS))
    .requiredOption("--directory <path>", "the folder of `keys init`")
    .option("--after <time>", "how long the key must have been trusted", parseDuration, 60)
    .addOption(jsonOption())
    .action(async (owner: KeyOwner, { directory, after, json }: RotateOptions) => {
      const rotated = await rotateKey(directory, owner, {
        afterMs: after * 1000,
        clock: systemClock,
      });
      print(json, { ...rotated, next: NEXT_STEPS[rotated.state] });
    });
}
