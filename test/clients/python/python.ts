/** Runs Python programs that use the client of this checkout; what they `show` is the result. */
import { execFile, spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { startHttp } from "../../support/http-server.ts";

const FIND = "import sys; print(sys.executable if sys.version_info >= (3, 11) else '')";
const found = spawnSync("python3", ["-c", FIND], { encoding: "utf8" });

/** The interpreter itself: what `python3` names may be a script that looks for it. */
export const PYTHON = (found.stdout ?? "").trim();

/** Without it the tests are skipped: Debian's `python3` package has it. */
export const hasPython = PYTHON !== "";

/** Compiled files are kept in the home of the test run, not in this checkout. */
export const PYTHON_ENV = {
  PYTHONPATH: resolve("clients/python"),
  PYTHONPYCACHEPREFIX: join(homedir(), "compiled-python"),
};

/** Of the clients of these tests. */
export const KEY = "mgs_test_example";

const PRELUDE = `
import asyncio, inspect, io, json, os, pathlib, sys, threading
import media_generation_client as media
KEY = "${KEY}"
URL = os.environ.get("URL", "https://media.example.com")
slept = []
def sleep(seconds): slept.append(seconds)
timing = media.Timing(sleep=sleep, random=lambda: 0.0, now=lambda: 1_794_916_800.0 + sum(slept))
client = media.Client(api_key=KEY, base_url=URL, timing=timing)
def show(value): print(json.dumps(value, default=str))
`;

/** What the program writes to its standard output. */
export async function outputOfPython(
  program: string,
  env: Record<string, string> = {},
  { cwd = process.cwd() } = {},
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...PYTHON_ENV, ...env } };
  return (await promisify(execFile)(PYTHON, ["-c", program], options)).stdout;
}

/**
 * What the program shows, in order. It has \`media\` (the package), \`client\`, whose clock advances only while it sleeps,
 * which \`slept\` notes, \`KEY\` and \`URL\`.
 */
export async function runPython(
  program: string,
  env: Record<string, string> = {},
): Promise<unknown[]> {
  const output = await outputOfPython(`${PRELUDE}\n${program}`, env);
  return output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}

export type Sent = {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
};

/** `breaks`: the connection ends within the body. `silent`: there is none. `unread`: it comes before the request's body is read. */
export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  breaks?: true;
  silent?: true;
  unread?: true;
};

/** A service that answers with `answers` in order, and with the last one from then on. */
export async function answeringService(answers: Answer[]) {
  const requests: Sent[] = [];
  const server = await startHttp((request, response) => {
    const isUnread = answers[Math.min(requests.length, answers.length - 1)]?.unread;
    const answered = (isUnread ? Promise.resolve("") : text(request)).then((sent) => {
      const { method = "", url: path = "", headers } = request;
      requests.push({ method, path, headers, body: sent });
      const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
      const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
      if (answer.breaks) {
        response.writeHead(200, { ...answer.headers, "content-length": "1000" });
        response.write(body ?? "{", () => response.destroy());
        return;
      }
      if (answer.silent) return;
      response.writeHead(answer.status ?? 200, answer.headers).end(body);
    });
    answered.catch((error: unknown) => {
      // A client may leave before it has sent all.
      if (!request.destroyed) throw error;
    });
  });
  /** What a program shows whose `client` calls this service. */
  const run = (program: string) => runPython(program, { URL: server.url });
  return { ...server, requests, runPython: run };
}

/** A stream of events, of which each is `status progress`. */
export function streamOf(...states: string[]): Answer {
  const events = states.map((state) => {
    const [status, progress] = state.split(" ");
    return `event: generation\ndata: ${JSON.stringify({ status, progress: Number(progress) })}\n\n`;
  });
  return { headers: { "content-type": "text/event-stream" }, body: events.join(": \n\n") };
}
