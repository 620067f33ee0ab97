/** Generations as tools answer them: as the API does, with a link to each file and what to do next. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isTerminal, kindOfId } from "#vocabulary/names.ts";
import {
  publicGeneration,
  type PublicImage,
  type PublicVideo,
} from "#vocabulary/public-generation.ts";
import { isGenerationId } from "#runtime/id.ts";
import { Problem } from "../http/problem.ts";
import type { Deps } from "../operations/deps.ts";
import { generationsPath, getGeneration } from "../operations/generations.ts";
import { waitForEnd } from "../waiting/prefer-wait.ts";
import { MAX_WAIT_SECONDS, resultOf, type ToolContext } from "./tool.ts";

export type PublicGeneration = PublicVideo | PublicImage;

/** Often enough for a client that gives up on a request which shows no progress. */
const PROGRESS_MS = 5_000;

export function pathOf(deps: Deps, id: string): string {
  if (!isGenerationId(id)) {
    const message = "An id begins with vgen_ or igen_. Use one that a tool has answered.";
    throw new Problem("generation_not_found", { message });
  }
  return `${generationsPath(deps, kindOfId(id))}/${id}`;
}

/** The generation when it has ended, or as it is after `seconds`. */
export async function ended(
  deps: Deps,
  { request, signal, report }: ToolContext,
  generation: PublicGeneration,
  seconds: number,
): Promise<PublicGeneration> {
  if (seconds === 0 || isTerminal(generation.status)) return generation;
  const { id: generationId } = generation;
  const read = () => getGeneration(deps, request, kindOfId(generationId), generationId);
  const last = await waitForEnd(deps, request, {
    generationId,
    first: read,
    again: read,
    seconds,
    signal,
    ...(report && {
      watch: {
        everyMs: PROGRESS_MS,
        tell: ({ progress }) => report(progress, `${generationId} is being made.`),
      },
    }),
  });
  return publicGeneration(last, deps.assetBaseUrl());
}

/** The first version of the protocol that has links to files in results. Its clients name theirs, earlier ones may not. */
const LINKS_SINCE = "2025-06-18";

export function resultOfGeneration(
  generation: PublicGeneration,
  { request }: Pick<ToolContext, "request">,
  replayed = false,
): CallToolResult {
  const { id, output } = generation;
  const { structuredContent, content } = resultOf({
    ...generation,
    ...(replayed ? { replayed } : {}),
    next: nextStep(generation),
  });
  const version = String(request.headers["mcp-protocol-version"] ?? "");
  if (version < LINKS_SINCE) return { structuredContent, content };
  const links = output.map(({ url, content_type: mimeType }, index) => ({
    type: "resource_link" as const,
    uri: url,
    name: index === 0 ? id : `${id}-${index + 1}`,
    mimeType,
  }));
  return { structuredContent, content: [...content, ...links] };
}

function nextStep({ status }: PublicGeneration): string {
  switch (status) {
    case "success":
      return "Give the user the url of each output.";
    case "failed":
      return "Its Tokens are restored. The error says what to change; a new try needs a new idempotency_key.";
    case "canceled":
      return "Its Tokens are restored.";
    default:
      return `It is being made. Call get_generation with this id and wait_seconds ${MAX_WAIT_SECONDS}, until it has ended. Do not create it again.`;
  }
}
