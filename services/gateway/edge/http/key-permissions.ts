/** Refuses what the API key of a request may not do. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { KindName } from "#vocabulary/kind.ts";
import {
  isPermitted,
  permittedText,
  publicPermissions,
  type Use,
} from "../../domain/key-permissions.ts";
import { isSafe } from "../../domain/request-method.ts";
import { Problem } from "./problem.ts";
import { callerOf } from "./request-state.ts";

/** The operations of both documents that make generations. */
const KINDS: Readonly<Record<string, KindName>> = {
  createVideoGeneration: "video",
  createImageGeneration: "image",
  openaiCreateVideo: "video",
  openaiCreateImage: "image",
  openaiEditImage: "image",
};

/** Adds the check to the routes of `app`. It comes after those of the body, which names the model. */
export function keepToPermissions(app: FastifyInstance): void {
  app.addHook("preHandler", async (request) => {
    const { permissions } = callerOf(request);
    if (!permissions || isPermitted(permissions, useOf(request))) return;
    throw new Problem("key_not_permitted", {
      message: `This key may ${permittedText(permissions)}. Use another key, or change in the dashboard what this one may do.`,
      details: publicPermissions(permissions),
    });
  });
}

function useOf({ method, routeOptions, body }: FastifyRequest): Use {
  const kind = KINDS[routeOptions.config.operationId ?? ""];
  return {
    isRead: isSafe(method),
    creates: kind && { kind, model: (body as { model: string }).model },
  };
}
