/** CheckUpstreams and TryUpstream: whether upstreams would serve this service, and what one answers to a small request. */
import { create } from "@bufbuild/protobuf";
import { randomUUID } from "node:crypto";
import {
  Availability,
  ImageInputSchema,
  Kind,
  ModelSchema,
  VideoInputSchema,
  type Model,
  type TryUpstreamRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { invalidField, notFound, refusal } from "#runtime/rpc/errors.ts";
import { kindName } from "#vocabulary/names.ts";
import { inputToJson } from "../domain/generation.ts";
import { jobOf, sizeText } from "../domain/job.ts";
import { pauseName } from "../domain/pause-rules.ts";
import { isVideo, planGeneration, type Input, type Plan } from "../domain/plan.ts";
import type { Checked, Imaged, Job, Polled, Provider, Submitted } from "../providers/provider.ts";
import { recordExchanges, type Exchange } from "../providers/shared/exchanges.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { listPauses } from "../store/slots.ts";
import type { ConfiguredUpstream, MissingCredential } from "../upstreams/open-upstreams.ts";
import { SIMULATOR } from "../upstreams/upstreams.ts";

const CHECK_TIMEOUT_MS = 10_000;
const NO_KEY = { ok: false, fault: "auth", detail: "its credential has no key here" } as const;

/** It serves test mode, and is in no file. */
const SIMULATED = {
  name: SIMULATOR,
  model: "",
  providerName: SIMULATOR,
  upstreamModel: "",
  credential: "",
};

export function upstreamRpcs(deps: Deps) {
  return {
    /**
     * Answers within 10 s with one entry for every upstream in the file and one for the simulator, its state and what its
     * upstream answered to a harmless request. An upstream that does not answer is `unavailable`, not an error of this RPC.
     */
    async checkUpstreams(_request, { signal }) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
      // Upstreams of one account share their `check`, so that each account is checked once.
      const checks = new Map<Provider["check"], Promise<Checked>>();
      const checkOnce = ({ check }: Provider): Promise<Checked> => {
        const checked = checks.get(check) ?? check(limited).catch(unanswered);
        checks.set(check, checked);
        return checked;
      };
      const { all, missingCredentials } = deps.configuredUpstreams;
      const paused = new Set(
        (await listPauses(deps.sql, deps.clock.now())).map(({ name }) => name),
      );
      const checked = all.map(async (upstream) =>
        entryOf(upstream, stateOf(upstream, paused), await checkOnce(upstream.provider)),
      );
      const withoutKey = missingCredentials.map((one) => entryOf(one, "without_key", NO_KEY));
      const simulator = deps.upstreams.byName(SIMULATOR);
      const simulated = simulator
        ? [entryOf(SIMULATED, "open", await checkOnce(simulator.provider))]
        : [];
      return { upstreams: [...(await Promise.all(checked)), ...withoutKey, ...simulated] };
    },
    async tryUpstream(request, { signal }) {
      const upstream = upstreamOf(deps, request.upstream);
      const model = deps.catalog.find(upstream.model);
      if (!model) throw notFound("upstream", `${upstream.name}: its model is not in the catalog`);
      const { input, tokens } = smallest(upstream, model, request.imageUrl);
      const common = { asksFor: wordsOf(deps, model, input), tokens };
      if (!request.send && request.job === "") return { ...common, outcome: "planned" };
      const exchanges: Exchange[] = [];
      const job = jobFor(deps, upstream, model, input);
      const answered = await recordExchanges(exchanges, () =>
        answerOf(upstream.provider, job, request, signal),
      );
      return {
        ...common,
        ...meaningOf(answered, upstream),
        exchangeJson: JSON.stringify(exchanges),
      };
    },
  } satisfies Rpcs;
}

function entryOf(upstream: MissingCredential, state: string, checked: Checked) {
  const { name, model, providerName: provider, upstreamModel, credential } = upstream;
  const named = { upstream: name, model, provider, upstreamModel, credential };
  return { ...named, state, fault: "", detail: "", ...checked };
}

function stateOf(upstream: ConfiguredUpstream, paused: ReadonlySet<string>): string {
  if (!upstream.isEnabled) return "disabled";
  const { name, credential } = upstream;
  const names = [pauseName.upstream(name), pauseName.credential(credential)];
  return names.some((one) => paused.has(one)) ? "paused" : "open";
}

function unanswered(error: unknown): Checked {
  return { ok: false, fault: "unavailable", detail: (error as Error).message };
}

const PROMPT = "A red apple on a white table";
/** Upstreams that require an end user get the pseudonym of this name. */
const ACCOUNT = "operators-try";

function upstreamOf(deps: Deps, name: string): ConfiguredUpstream {
  const { all, missingCredentials } = deps.configuredUpstreams;
  const found = all.find((upstream) => upstream.name === name);
  if (found) return found;
  const isWithoutKey = missingCredentials.some((upstream) => upstream.name === name);
  const reason = isWithoutKey ? NO_KEY.detail : "the upstreams file has none";
  throw notFound("upstream", `${name}: ${reason}`);
}

/** An answer, or what was thrown instead of one. */
async function answerOf(
  provider: Provider,
  job: Job,
  request: TryUpstreamRequest,
  signal: AbortSignal,
): Promise<Answered> {
  try {
    if (request.job !== "") return await provider.poll(request.job, signal);
    const makeImage = job.kind === "image" ? provider.image : undefined;
    return await (makeImage ?? provider.submit)(job, signal);
  } catch (error) {
    return { kind: "threw", message: (error as Error).message };
  }
}

/** The plan of the shortest and smallest request that both the catalog and the upstream offer. */
function smallest(upstream: ConfiguredUpstream, model: Model, imageUrl: string): Plan {
  const { capabilities = {} } = upstream;
  const hasPicture = imageUrl !== "" && model.inputs.includes("image");
  if (model.requiredInputs.includes("image") && !hasPicture) {
    const message = "This model needs a picture. Name one.";
    throw refusal({ reason: ErrorReason.IMAGE_URL_REQUIRED, field: "image_url", message });
  }
  if (hasPicture && upstream.provider.takesBytes) {
    const message = "This upstream takes the bytes of pictures. Try it without one.";
    throw invalidField("image_url", message);
  }
  const usable = create(ModelSchema, { ...model, availability: Availability.AVAILABLE });
  const durations = capabilities.durations ?? [model.durations?.min ?? 0];
  const input: Input =
    model.kind === Kind.VIDEO
      ? create(VideoInputSchema, {
          prompt: PROMPT,
          duration: Math.min(...durations),
          aspectRatio: capabilities.aspect_ratios?.[0] ?? model.defaultAspectRatio,
          ...(hasPicture ? { imageUrl } : {}),
        })
      : create(ImageInputSchema, {
          prompt: PROMPT,
          size: capabilities.sizes?.[0] ?? model.defaultSize,
          imageUrls: hasPicture ? [imageUrl] : [],
        });
  const planned = planGeneration(model.id, usable, input, () => []);
  if (planned.kind === "planned") return planned.plan;
  throw refusal(...planned.faults);
}

function jobFor(deps: Deps, upstream: ConfiguredUpstream, model: Model, input: Input): Job {
  const at = deps.clock.now();
  const row = {
    accountId: ACCOUNT,
    id: "",
    kind: kindName(model.kind),
    mode: "live",
    model: model.id,
    input: inputToJson(input),
    submittedAt: at,
    createdAt: at,
  } as const;
  // Without a URL for callbacks: nobody waits for them.
  const { upstreamModel, parameters } = upstream;
  return jobOf(row, `try.${randomUUID()}`, deps.catalog, { upstreamModel, parameters });
}

function wordsOf(deps: Deps, model: Model, input: Input): string {
  if (!isVideo(input)) return `an image of ${input.size}`;
  const frame = deps.catalog.frame(model, input.aspectRatio ?? "");
  return `a video of ${input.duration} s, ${sizeText(frame)}`;
}

/** `threw`: there was no usable answer. */
type Answered = Submitted | Imaged | Polled | { kind: "threw"; message: string };

const FIRST_POLL_MS = 3_000;

/** Says in words what an upstream's answer to a try means, and what operators can do. */
function meaningOf(answer: Answered, upstream: ConfiguredUpstream) {
  const meaning = wordsFor(answer, upstream);
  switch (answer.kind) {
    case "accepted":
      return { outcome: "running", meaning, job: answer.upstreamId, askAgainMs: FIRST_POLL_MS };
    case "running":
      return { outcome: "running", meaning, askAgainMs: answer.retryAfterMs ?? answer.pollAfterMs };
    case "succeeded": {
      const resultUrls = answer.sources.flatMap((source) => ("url" in source ? source.url : []));
      return { outcome: "succeeded", meaning, resultUrls };
    }
    default:
      return { outcome: "failed", meaning };
  }
}

function wordsFor(
  answer: Answered,
  { credential, upstreamModel, providerName }: ConfiguredUpstream,
): string {
  const detail = answer.kind === "closed" ? answer.detail : "";
  const code = "failure" in answer ? answer.failure.code : "";
  const refused = `The ${providerName} API refused or failed the request (${code}). Read its answer in the exchange: parameters of the upstreams file may not fit ${upstreamModel}.`;
  const words = {
    accepted: "The upstream has taken the request on.",
    running: "The upstream is working on it.",
    succeeded: "It works: the upstream has made a result.",
    stopped: "The upstream has stopped the job.",
    gone: "The upstream does not know the job, or no longer does.",
    rate_limited:
      "The account's rate limit is reached; nothing was made. Wait, or lower the limits of the credential in the upstreams file.",
    unavailable:
      "The upstream takes nothing on now, or cannot be reached; nothing was made. Look at its status page, and try again.",
    unknown:
      "There was no certain answer: the upstream may have taken the request on, and may charge for it. Look at its console before you try again.",
    auth: `The key of the credential ${credential} is refused: give generation another, or let it use the model. (${detail})`,
    billing: `The account of the credential ${credential} has no credit: pay. (${detail})`,
    config: `The upstream does not serve this account ${upstreamModel} with these parameters: correct the upstreams file. (${detail})`,
    refused,
    failed: refused,
    threw: `The upstream could not be asked: ${answer.kind === "threw" ? answer.message : ""}. Look at the network and at base_url.`,
  };
  return words["fault" in answer ? answer.fault : answer.kind];
}
