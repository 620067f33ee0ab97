/** `status`: one screen of what matters now. */
import { Command } from "commander";
import { systemClock } from "#runtime/clock.ts";
import { readConfig } from "../session/config.ts";
import { statusScreen } from "./status-screen.ts";
import { scrapeAll } from "../status/scrape.ts";
import { statusOf } from "../status/status.ts";

export function statusCommand(): Command {
  return new Command("status")
    .description(
      "services and their releases, queue, upstreams, webhooks, ledger, event stream; exit code 1 if something needs you",
    )
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { urls, tls, expected } = readConfig(process.env);
      const status = statusOf(await scrapeAll(urls, tls), systemClock.now(), expected);
      process.stdout.write(json ? `${JSON.stringify(status)}\n` : statusScreen(status));
      if (status.concerns.length > 0) process.exitCode = 1;
    });
}
