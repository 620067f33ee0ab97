/** The load process of the API benchmark: repeats requests over kept-alive connections and measures each answer. */
import { keepAlive } from "./kept-alive.ts";
import { runFor, type Run } from "./measure.ts";

/** For `seconds`, each of `connections` sends the next of `requests` as soon as its last one was answered. */
export type LoadOrder = {
  port: number;
  connections: number;
  seconds: number;
  requests: readonly string[];
};

export type LoadResult = Run & {
  /** Answers other than 2xx, and the first of them. */
  refused: number;
  refusal: string | undefined;
};

const NO_TIMEOUT = 0;

async function load({ port, connections, seconds, requests }: LoadOrder): Promise<LoadResult> {
  let refused = 0;
  let refusal: string | undefined;
  const payloads = requests.map((text) => Buffer.from(text));
  const opened = Array.from({ length: connections }, () => keepAlive(port, NO_TIMEOUT));
  const run = await runFor(connections, seconds, async (caller) => {
    const payload = payloads[caller % payloads.length] ?? Buffer.alloc(0);
    const answer = await opened[caller]?.request(payload);
    if (!answer || answer.status < 300) return;
    refused += 1;
    refusal ??= `${answer.head}\n${answer.body()}`;
  });
  await Promise.all(opened.map((connection) => connection.end()));
  return { ...run, refused, refusal };
}

process.on("message", (order: LoadOrder) => {
  void load(order).then((result) => process.send?.(result));
});
process.once("disconnect", () => process.exit());
