/** The instant upstream of the API benchmark, in its own process. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createCanvas } from "@napi-rs/canvas";
import { startHttp } from "../support/http-server.ts";
import { makeVideo } from "../support/make-media.ts";
import { FINISHING_PROMPT } from "./api-rows.ts";

export type UpstreamReady = { upstreamUrl: string };

const video = await makeVideo();
const image = createCanvas(1024, 1024).toBuffer("image/png").toString("base64");
let jobs = 0;

/** The dialect of OpenAI: images are made within the call. Traces are received, too. */
async function upstream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { url = "", method } = request;
  if (url === "/v1/traces") return void response.end();
  if (url.endsWith("/content")) return void response.end(video);
  const json = (value: object) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(value));
  };
  if (url.startsWith("/images")) return json({ created: 1, data: [{ b64_json: image }] });
  if (method === "POST") {
    jobs += 1;
    const kind = body.includes(FINISHING_PROMPT) ? "ends" : "runs";
    return json({ id: `${kind}_${jobs}`, object: "video", status: "queued", progress: 0 });
  }
  const isDone = url.includes("/ends_");
  return json({ id: url, object: "video", status: isDone ? "completed" : "queued", progress: 0 });
}

const { url: upstreamUrl } = await startHttp(
  (request, response) => void upstream(request, response),
);
process.once("disconnect", () => process.exit());
process.send?.({ upstreamUrl } satisfies UpstreamReady);
