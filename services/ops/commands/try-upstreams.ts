/** `upstream try`: makes one small paid request to each enabled upstream, and says what came back. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { ConnectError } from "@connectrpc/connect";
import { Command, Option } from "commander";
import type { TryUpstreamResponse } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { printList, type Format } from "../session/print.ts";
import { inSession, type Session } from "../session/session.ts";

type Options = Format & { upstream?: string; imageUrl?: string; yes?: true; keep: string };
type Generation = Session["generation"];

const COLUMNS = ["upstream", "asks_for", "outcome", "seconds", "meaning", "results", "kept_in"];
/** A job that takes longer is left to its vendor. */
const MAX_SECONDS = 20 * 60;
const UNUSABLE = new Set(["disabled", "without_key"]);

export function tryUpstreamsCommand(): Command {
  return new Command("try")
    .description(
      "make one small request to each enabled upstream, which vendors charge for; exit code 1 if one fails",
    )
    .option("--upstream <name>", "this upstream only")
    .option("--image-url <url>", "a picture at a public address, for models that need one")
    .addOption(new Option("--yes", "do not ask before it costs money"))
    .option("--keep <folder>", "where the requests and answers are kept", "upstream-tries")
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      const rows = await inSession(({ generation }) => tryAll(generation, options));
      printList(options, COLUMNS, rows, "No upstream was tried.");
      if (rows.length === 0 || rows.some(({ outcome }) => outcome !== "succeeded")) {
        process.exitCode = 1;
      }
    });
}

async function tryAll(generation: Generation, options: Options) {
  const { upstreams } = await generation.checkUpstreams({});
  // The simulator has no model of its own.
  const known = upstreams.filter(({ upstreamModel }) => upstreamModel !== "");
  const { upstream: wanted } = options;
  const chosen = known.filter(({ upstream, state }) =>
    wanted === undefined ? !UNUSABLE.has(state) : upstream === wanted,
  );
  if (chosen.length === 0) {
    const none = wanted ? `no upstream "${wanted}" to try` : "no upstream is enabled and has a key";
    const names = known.map(({ upstream }) => upstream).join(", ") || "none";
    throw new Error(`${none}: UPSTREAMS_FILE has ${names}, and the simulator needs no try`);
  }
  const ready: string[] = [];
  const { imageUrl = "" } = options;
  // On standard error, so that the output is only what came back.
  for (const { upstream, upstreamModel } of chosen) {
    const plan = await generation
      .tryUpstream({ upstream, imageUrl })
      .catch((error: unknown) => ConnectError.from(error).rawMessage);
    const isPlanned = typeof plan !== "string";
    if (isPlanned) ready.push(upstream);
    const what = isPlanned
      ? `${plan.asksFor} (clients pay ${plan.tokens} Tokens)`
      : `not tried: ${plan}`;
    process.stderr.write(`${upstream} (${upstreamModel}): ${what}\n`);
  }
  if (ready.length === 0) return [];
  process.stderr.write("The vendors charge the accounts of these upstreams for each request.\n");
  if (!options.yes && !(await isConfirmed(ready.length))) {
    throw new Error("nothing was sent; --yes tries without asking");
  }
  const rows = [];
  for (const upstream of ready) rows.push(await tryOne(generation, upstream, options));
  return rows;
}

async function isConfirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`Send ${count} paid requests? [y/N] `);
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function tryOne(generation: Generation, upstream: string, options: Options) {
  const secondsNow = () => systemClock.monotonicMs() / 1_000;
  const begunAt = secondsNow();
  const exchanges: unknown[] = [];
  const call = async (fields: { send?: boolean; job?: string }): Promise<TryUpstreamResponse> => {
    const { imageUrl = "" } = options;
    const answer = await generation.tryUpstream({ upstream, imageUrl, ...fields });
    exchanges.push(...(JSON.parse(answer.exchangeJson || "[]") as unknown[]));
    return answer;
  };
  let answer = await call({ send: true });
  const { job } = answer;
  while (answer.outcome === "running" && secondsNow() - begunAt < MAX_SECONDS) {
    await systemClock.sleep(answer.askAgainMs);
    answer = await call({ job });
  }
  const seconds = Math.round(secondsNow() - begunAt);
  const { asksFor, outcome, meaning, resultUrls } = answer;
  const kept = { upstream, asksFor, outcome, meaning, job, exchanges };
  return {
    upstream,
    asks_for: asksFor,
    outcome,
    seconds,
    meaning: outcome === "running" ? `It is not done after ${MAX_SECONDS / 60} minutes.` : meaning,
    results: resultUrls.join(" "),
    kept_in: keep(options.keep, upstream, kept),
  };
}

/** Only the operator may read it: it has addresses of results. */
function keep(folder: string, upstream: string, content: object): string {
  mkdirSync(folder, { recursive: true });
  const at = systemClock.now().toISOString().replaceAll(":", "-");
  const path = join(folder, `${upstream}-${at}.json`);
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return path;
}
