/** The load process of the API benchmark: repeats requests over kept-alive connections and measures each answer. */
import { connect } from "node:net";

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

const HEAD_END = "\r\n\r\n";
const LENGTH = "content-length: ";

async function load({ port, connections, seconds, requests }: LoadOrder): Promise<LoadResult> {
  const latencies: number[] = [];
  let refused = 0;
  let refusal: string | undefined;
  const payloads = requests.map((text) => Buffer.from(text));
  const beganAt = performance.now();
  const endAt = beganAt + seconds * 1_000;

  const connection = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const payload = payloads[index % payloads.length] ?? "";
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      let received: Buffer | undefined;
      let sentAt = 0;
      const next = () => {
        sentAt = performance.now();
        if (sentAt >= endAt) return void socket.end(resolve);
        return void socket.write(payload);
      };
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the server closed a connection")));
      socket.once("connect", next);
      socket.on("data", (chunk: Buffer) => {
        received = received ? Buffer.concat([received, chunk]) : chunk;
        const headBytes = received.indexOf(HEAD_END);
        if (headBytes < 0) return;
        const head = received.toString("latin1", 0, headBytes).toLowerCase();
        const bodyBytes = Number.parseInt(head.slice(head.indexOf(LENGTH) + LENGTH.length), 10);
        if (received.length < headBytes + HEAD_END.length + bodyBytes) return;
        latencies.push(performance.now() - sentAt);
        if (!head.startsWith("http/1.1 2")) {
          refused += 1;
          refusal ??= received.toString();
        }
        received = undefined;
        next();
      });
    });

  await Promise.all(Array.from({ length: connections }, (_, index) => connection(index)));
  const elapsedSeconds = (performance.now() - beganAt) / 1_000;
  return { latencies, elapsedSeconds, refused, refusal };
}

process.on("message", (order: LoadOrder) => {
  void load(order).then((result) => process.send?.(result));
});
process.once("disconnect", () => process.exit());
