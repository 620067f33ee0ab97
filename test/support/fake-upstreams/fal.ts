/** A fake of fal's queue: its documented answers and callbacks. */
import { randomUUID } from "node:crypto";
import type { Callback } from "../../../services/generation/providers/provider.ts";
import type { InQueueQueueStatus, QueueStatus } from "@fal-ai/client";
import {
  RESULT_PATH,
  ok,
  on,
  startFake,
  type FakeJob,
  type FakeReply,
  type JobState,
} from "./fake.ts";

const KEY = "fal-id:fal-secret";
const NO_REQUEST = /\/[\w.-]+\/[\w.-]+\/requests\/00000000-0000-0000-0000-000000000000\/status/;
const failure = (status: number, detail: string): FakeReply => ({ status, json: { detail } });
const UNKNOWN = failure(404, "Request not found");

/** A state's `result` is what the result's address answers once the status is COMPLETED. */
export function startFalFake() {
  return startFake(({ url, record, look, jobOf }) => ({
    key: KEY,
    accepts: ({ authorization }) => authorization === `Key ${KEY}`,
    unauthorised: failure(
      401,
      "Cannot access application. Authentication is required to access it.",
    ),
    notFound: failure(404, "Not Found"),
    operations: {
      submit: on("POST", /\/([\w.-]+\/[\w.-]+)(?:\/[\w.-]+)*/, (request, application = "") => {
        const address = `${application}/requests/${randomUUID()}`;
        const state = { status: "IN_QUEUE" as const, queue_position: 0 };
        record(request, address, state);
        return ok({ ...partsOf(address, url()), ...state } satisfies InQueueQueueStatus);
      }),
      check: on("GET", NO_REQUEST, () => UNKNOWN),
      poll: on("GET", /\/(.+\/requests\/[\w-]+)\/status/, (_request, address = "") =>
        look(address, ({ state }) => statusReply(state, partsOf(address, url())), UNKNOWN),
      ),
      fetch: on("GET", /\/(.+\/requests\/[\w-]+)/, (_request, address = "") =>
        resultReply(jobOf(address)?.state, url()),
      ),
      cancel: on("PUT", /\/(.+\/requests\/[\w-]+)\/cancel/, (_request, address = "") =>
        cancelReply(jobOf(address)),
      ),
    },
  }));
}

/** What fal sends to a job's callback address; its signature is left out. */
export function falCallback(upstreamId: string): Callback {
  const requestId = upstreamId.slice(upstreamId.lastIndexOf("/") + 1);
  const payload = { request_id: requestId, status: "OK", payload: {} };
  return { body: Buffer.from(JSON.stringify(payload)), model: "fal-ai/some-model" };
}

type JobParts = Pick<QueueStatus, "request_id" | "response_url" | "status_url" | "cancel_url">;

function partsOf(address: string, url: string): JobParts {
  const at = `${url}/${address}`;
  return {
    request_id: address.slice(address.lastIndexOf("/") + 1),
    response_url: at,
    status_url: `${at}/status`,
    cancel_url: `${at}/cancel`,
  };
}

function statusReply(state: JobState, job: JobParts): FakeReply {
  const { result: _, ...said } = state;
  const json = { ...job, queue_position: 0, logs: null, ...said };
  return { status: said.status === "COMPLETED" ? 200 : 202, json };
}

function resultReply(state: JobState | undefined, url: string): FakeReply {
  if (state?.status !== "COMPLETED") return failure(400, "Request is still in progress");
  const file = { url: `${url}${RESULT_PATH}`, content_type: "video/mp4", file_name: "out.mp4" };
  return (state["result"] as FakeReply | undefined) ?? ok({ video: file, seed: 1 });
}

function cancelReply(job: FakeJob | undefined): FakeReply {
  switch (job?.state.status) {
    case "IN_QUEUE":
      job.state = { status: "COMPLETED", error: "cancelled", error_type: "client_cancelled" };
      return ok({ status: "OK" });
    case "IN_PROGRESS":
      return { status: 202, json: { status: "CANCELLATION_REQUESTED" } };
    case "COMPLETED":
      return { status: 400, json: { status: "ALREADY_COMPLETED" } };
    default:
      return { status: 404, json: { status: "NOT_FOUND" } };
  }
}
