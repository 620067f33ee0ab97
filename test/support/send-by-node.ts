/** Sends by Node's own client what `fetch` would refuse, change or hold back. */
import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { text } from "node:stream/consumers";

/** `write` sends the body; a request that it leaves unfinished is broken off after its answer. */
export async function sendByNode(
  url: string,
  options: RequestOptions,
  write: (sent: ClientRequest) => unknown = (sent) => sent.end(),
) {
  const sent = request(url, options);
  // The server may close the connection after its answer; before that, `once` rejects.
  sent.on("error", () => {});
  write(sent);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(answer);
  if (!sent.writableFinished) sent.destroy();
  const { statusCode: status = 0, headers } = answer;
  return { status, headers, body, isReused: sent.reusedSocket };
}
