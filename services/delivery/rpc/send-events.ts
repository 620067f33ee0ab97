/** The RPCs that queue webhooks: of the ends of generations, of alerts, and tests. */
import { checkUrl } from "#runtime/address.ts";
import { invalidField } from "#runtime/rpc/errors.ts";
import { keptContext, type KeptContext } from "#runtime/work-context.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { alertEvent, endEvent, testEvent } from "../domain/event.ts";
import { insertDelivery, type NewDelivery } from "../store/webhook-deliveries.ts";
import { isUrlDisabled } from "../store/disabled-urls.ts";
import { toDelivery, urlDisabled } from "./webhooks.ts";

export const eventRpcs = (deps: Deps) =>
  ({
    async sendAlert({ alert, url }) {
      const event = alert && alertEvent(alert);
      if (!event) throw invalidField("alert", "alert must say what happened, and when");
      requireCallable(deps, url);
      const { accountId, eventId } = alert;
      // Limits and thresholds are of live mode.
      await queue(deps, { accountId, mode: "live", eventId, ...event, generationId: null, url });
      return {};
    },
    async sendTestEvent({ accountId, mode, url, type = "webhook.test" }) {
      const owner = { accountId, mode: modeName(mode) };
      requireCallable(deps, url);
      const at = deps.clock.now();
      const event = testEvent(type, owner.mode, at);
      if (!event) throw invalidField("type", "there is no event of this type");
      if (await isUrlDisabled(deps.sql, owner, url)) throw urlDisabled();
      const eventId = deps.newId("evt");
      const id = await queue(deps, { ...owner, eventId, ...event, generationId: null, url }, at);
      const times = { createdAt: at, nextAttemptAt: at };
      const shown = { id, eventId, type, generationId: null, url, ...times, attempts: [] };
      return { delivery: toDelivery({ ...shown, status: "pending" }) };
    },
    /** Idempotent by event id; answers after the commit. */
    async acceptEnd({ finished }) {
      const { eventId, generation } = finished ?? {};
      const event = generation && endEvent(generation, deps.assetBaseUrl);
      if (!event || !eventId) {
        throw invalidField(
          "finished",
          "finished must have an event id, and a generation that has ended",
        );
      }
      const url = generation.input.value?.webhookUrl;
      if (url === undefined) return {};
      const { id: generationId, accountId } = generation;
      const mode = modeName(generation.mode);
      await queue(deps, { accountId, mode, eventId, ...event, generationId, url });
      return {};
    },
  }) satisfies Partial<Rpcs>;

type Webhook = Omit<NewDelivery, "id" | "host" | "at" | keyof KeptContext>;

/** Queues a webhook that is due at once; returns the id of its delivery. */
async function queue(
  { sql, clock, newId, wakeSender }: Deps,
  webhook: Webhook,
  at = clock.now(),
): Promise<string> {
  const id = newId("whd");
  const host = URL.parse(webhook.url)?.host ?? "";
  await insertDelivery(sql, { ...webhook, id, host, at, ...keptContext() });
  wakeSender();
  return id;
}

function requireCallable({ allowAddress }: Deps, url: string): void {
  const check = checkUrl(url, allowAddress);
  if (!check.ok) throw invalidField("url", `the URL ${check.reason}`);
}
