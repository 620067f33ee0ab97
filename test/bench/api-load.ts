/** The load process of the API benchmark: repeats requests over kept-alive connections and measures each answer. */
import { keepAlive } from "./kept-alive.ts";

/** For `seconds`, each of `connections` sends the next of `requests` as soon as its last one was answered. */
export type LoadOrder = {
  port: number;
  connections: number;
  seconds: number;
  requests: readonly string[];
};

export type LoadResult = {
  latencies: number[];
  elapsedSeconds: number;
  /** Answers other than 2xx, and the first of them. */
  refused: number;
  refusal: string | undefined;
};

const NO_TIMEOUT = 0;

async function load({ port, connections, seconds, requests }: LoadOrder): Promise<LoadResult> {
  const latencies: number[] = [];
  let refused = 0;
  let refusal: string | undefined;
  const payloads = requests.map((text) => Buffer.from(text));
  const beganAt = performance.now();
  const endAt = beganAt + seconds * 1_000;

  const repeat = async (index: number) => {
    const payload = payloads[index % payloads.length] ?? Buffer.alloc(0);
    const connection = keepAlive(port, NO_TIMEOUT);
    for (let sentAt = performance.now(); sentAt < endAt; sentAt = performance.now()) {
      const { status, head, body } = await connection.request(payload);
      latencies.push(performance.now() - sentAt);
      if (status < 300) continue;
      refused += 1;
      refusal ??= `${head}\n${body()}`;
    }
    await connection.end();
  };

  await Promise.all(Array.from({ length: connections }, (_, index) => repeat(index)));
  const elapsedSeconds = (performance.now() - beganAt) / 1_000;
  return { latencies, elapsedSeconds, refused, refusal };
}

process.on("message", (order: LoadOrder) => {
  void load(order).then((result) => process.send?.(result));
});
process.once("disconnect", () => process.exit());
