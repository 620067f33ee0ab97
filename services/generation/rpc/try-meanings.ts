/** Says in words what an upstream's answer to a try means, and what operators can do. */
import type { ConfiguredUpstream } from "../upstreams/build-upstreams.ts";
import type { Imaged, OperatorFault, Polled, Source, Submitted } from "../providers/provider.ts";

/** `threw`: there was no usable answer. */
export type Answered = Submitted | Imaged | Polled | { kind: "threw"; message: string };

type Meaning = {
  outcome: "running" | "succeeded" | "failed";
  meaning: string;
  job?: string;
  askAgainMs?: number;
  resultUrls?: string[];
};

const FIRST_POLL_MS = 3_000;

export function meaningOf(
  answer: Answered,
  { credential, upstreamModel, adapter }: ConfiguredUpstream,
): Meaning {
  switch (answer.kind) {
    case "accepted":
      return {
        outcome: "running",
        meaning: "The upstream has taken the request on.",
        job: answer.upstreamId,
        askAgainMs: FIRST_POLL_MS,
      };
    case "running":
      return {
        outcome: "running",
        meaning: "The upstream is working on it.",
        askAgainMs: answer.retryAfterMs ?? answer.pollAfterMs,
      };
    case "succeeded":
      return {
        outcome: "succeeded",
        meaning: "It works: the upstream has made a result.",
        resultUrls: answer.sources.flatMap(urlOf),
      };
    case "closed":
      return failed(`${FAULTS[answer.fault](credential, upstreamModel)} (${answer.detail})`);
    case "rejected":
      return failed(
        answer.fault === "rate_limited"
          ? "The account's rate limit is reached; nothing was made. Wait, or lower the limits of the credential in the upstreams file."
          : "The upstream takes nothing on now, or cannot be reached, or its circuit is open here; nothing was made. Look at its status page, and try again.",
      );
    case "refused":
    case "failed":
      return failed(
        `The ${adapter} API refused or failed the request (${answer.failure.code}). Read its answer in the exchange: parameters of the upstreams file may not fit ${upstreamModel}.`,
      );
    case "unknown":
      return failed(
        "There was no certain answer: the upstream may have taken the request on, and may charge for it. Look at its console before you try again.",
      );
    case "stopped":
      return failed("The upstream has stopped the job.");
    case "gone":
      return failed("The upstream does not know the job, or no longer does.");
    case "threw":
      return failed(
        `The upstream could not be asked: ${answer.message}. Look at the network and at base_url.`,
      );
  }
}

const FAULTS: Record<OperatorFault, (credential: string, model: string) => string> = {
  auth: (credential) =>
    `The key of the credential ${credential} is refused: give generation another, or let it use the model.`,
  billing: (credential) => `The account of the credential ${credential} has no credit: pay.`,
  config: (_credential, model) =>
    `The upstream does not serve this account ${model} with these parameters: correct the upstreams file.`,
};

function failed(meaning: string): Meaning {
  return { outcome: "failed", meaning };
}

function urlOf(source: Source): string[] {
  return "url" in source ? [source.url] : [];
}
