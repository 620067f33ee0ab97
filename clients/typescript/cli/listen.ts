/** Makes the webhooks of generations that end, and sends them to an address of the caller's own, as the service would. */
import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import type { Listing } from "../http/pages.ts";
import { ArgumentError, ConnectionError, ServiceError, type Client } from "../index.ts";
import { timeText } from "./display.ts";
import { kindOfId } from "./objects.ts";
import { waitFor, type Generation, type Run } from "./run.ts";

/** Between two looks at what has ended, of both kinds. */
const LOOK_MS = 5_000;
/** As long as the service waits for a receiver. */
const TIMEOUT_MS = 15_000;
const MAX_PAGE = 100;

/** Until the signal aborts, or the event of `id` alone: false if it is not accepted. Throws ArgumentError for no URL. */
export async function listen(
  run: Run,
  id: string | undefined,
  { forwardTo, printSecret }: { forwardTo?: string; printSecret?: boolean },
): Promise<boolean | void> {
  const { signal, screen, print } = run;
  const secret = listenSecret(run.apiKey);
  if (printSecret) return print(secret);
  const target = forwardTo === undefined ? undefined : addressOf(forwardTo);
  const sendEvent = async (generation: Generation) => {
    const { id: eventId, type, timestamp, body } = eventOf(generation);
    const answer = target && (await send(target, secret, { id: eventId, body }, signal));
    const line = `${timeText(timestamp, "medium")}  ${type}  ${eventId}  ${generation.id}`;
    print(run.json ? body : [line, answer ?? []].flat().join(" → "));
    return answer?.startsWith("2") ?? true;
  };
  if (id) return sendEvent(await waitFor(run, kindOfId(id, ["videos", "images"]), id));
  const { mode } = await run.client.balance.retrieve({ signal });
  const lists: List[] = [run.client.videos.list, run.client.images.list];
  const nextEnded = await Promise.all(lists.map((list) => endsFromNow(run, list)));
  screen.line(
    `Listening to the generations of ${mode} mode${target ? `, for ${target}` : ""}. Signing secret: ${secret}`,
  );
  let isDown = false;
  while (!signal.aborted) {
    const ended = Promise.all(nextEnded.map((next) => next()));
    const found = await ended.catch((error: unknown) => explainOutage(run, error));
    if (found !== undefined && isDown) screen.line("The service answers again.");
    isDown = found === undefined;
    for (const generation of found?.flat() ?? []) await sendEvent(generation);
    await delay(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** Derived from the key: it stays the same at the next start, and is stored nowhere. */
function listenSecret(apiKey: string): string {
  return `whsec_${createHmac("sha256", apiKey).update("media-generation listen").digest("base64")}`;
}

/** The list of one kind. */
type List = (
  filter: NonNullable<Parameters<Client["videos" | "images"]["list"]>[0]>,
  options: { signal: AbortSignal },
) => Listing<Generation>;

/** Resolves with those that ended since the call before, oldest first, of those that had not ended at the start. */
async function endsFromNow({ signal }: Run, list: List): Promise<() => Promise<Generation[]>> {
  /** The times of creation of those that were seen and have not ended, by id. */
  const open = new Map<string, string>();
  const { data } = await list({ limit: 1 }, { signal });
  let newest = data[0]?.created_at ?? "1970-01-01T00:00:00.001Z";
  for (const status of ["pending", "processing"] as const) {
    for await (const { id, created_at: at } of list({ status, limit: MAX_PAGE }, { signal }))
      open.set(id, at);
  }
  return async () => {
    const seenBefore = newest;
    const oldest = [...open.values(), seenBefore].toSorted()[0] ?? seenBefore;
    // The filter leaves out what was created at that moment.
    const after = new Date(Date.parse(oldest) - 1).toISOString();
    const ended: Generation[] = [];
    const filter = { created_after: after, limit: MAX_PAGE };
    for await (const generation of list(filter, { signal })) {
      const { id, status, created_at: createdAt } = generation;
      if (createdAt > newest) newest = createdAt;
      const isFinal = status !== "pending" && status !== "processing";
      if (!isFinal) open.set(id, createdAt);
      else if (open.delete(id) || createdAt > seenBefore) ended.push(generation);
    }
    return ended.toReversed();
  };
}

/** A generation has one event, so that its id can be that of the generation. */
function eventOf(data: Generation) {
  const type = `${data.object}.${data.status === "success" ? "completed" : data.status}`;
  const timestamp = data.completed_at ?? data.created_at;
  const id = data.id.replace(/^[vi]gen_/, "evt_");
  return { id, type, timestamp, body: JSON.stringify({ type, timestamp, data }) };
}

/** What the receiver answered, as text. */
async function send(
  url: string,
  secret: string,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<string> {
  const now = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": `${Math.floor(now.getTime() / 1_000)}`,
    "webhook-signature": new Webhook(secret).sign(id, now, body),
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const options = { method: "POST", headers, body, signal: limit } as const;
    const response = await fetch(url, { ...options, redirect: "manual" });
    await response.body?.cancel();
    return `${response.status}`;
  } catch (error) {
    const { message, cause } = error as { message: string; cause?: { code?: string } };
    return `no answer: ${cause?.code ?? message}`;
  }
}

/** An outage of the service ends nothing: the next look finds what ended meanwhile. */
function explainOutage({ screen, signal }: Run, error: unknown): undefined {
  const isOutage = error instanceof ConnectionError || error instanceof ServiceError;
  if (!isOutage && !signal.aborted) throw error;
  if (isOutage) screen.line(error.message);
}

/** A port is one of this machine. */
function addressOf(text: string): string {
  const address = text.replace(/^:?(?=\d{1,5}(?:\/|$))/, "localhost:");
  const url = /^[a-z][\w+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!/^https?:/i.test(url))
    throw new ArgumentError(`--forward-to takes http:// and https:// only, not ${text}.`);
  if (URL.canParse(url)) return url;
  throw new ArgumentError(
    `--forward-to is not a URL: ${text}. An example: localhost:3000/webhooks`,
  );
}
