/** Every end with a webhook was delivered, signed, under one id. */
import { verifyWebhook } from "../../../../clients/typescript/index.ts";
import type { Call } from "../receivers.ts";
import type { Check, Evidence } from "./evidence.ts";

/** Of a sender whose clock was moved; what it signed is checked, not when. */
const TOLERANCE_SECONDS = 3_600;

export const checkWebhooks: Check = async (evidence) => {
  const { orders, rows, receivers } = evidence;
  const wrong: string[] = [];
  const callsOf = new Map<string, Call[]>();
  for (const call of [...receivers.calls.values()].flat()) {
    const { data } = JSON.parse(call.body.toString()) as { data: { id: string } };
    callsOf.set(data.id, [...(callsOf.get(data.id) ?? []), call]);
  }
  for (const [id, calls] of callsOf) {
    const order = orders.get(id);
    if (order?.webhookUrl === undefined) {
      wrong.push(`${id} has no webhook and was delivered`);
      continue;
    }
    const ids = new Set(calls.map(({ headers }) => headers["webhook-id"]));
    if (ids.size > 1) wrong.push(`the end of ${id} was delivered under ${ids.size} webhook ids`);
    const bodies = new Set(calls.map(({ body }) => body.toString()));
    if (bodies.size > 1) wrong.push(`the end of ${id} was delivered with ${bodies.size} bodies`);
    for (const call of calls) wrong.push(...(await callFaults(evidence, id, call)));
  }
  for (const [id, { webhookUrl }] of orders) {
    if (webhookUrl === undefined || !rows.get(id)?.status) continue;
    const isDelivered = callsOf.get(id)?.some(({ status }) => status < 300);
    if (!isDelivered) wrong.push(`the end of ${id} was not delivered`);
  }
  return wrong;
};

async function callFaults(
  { customers, orders, rows }: Evidence,
  id: string,
  { headers, body }: Call,
): Promise<string[]> {
  const order = orders.get(id);
  const customer = customers.find(({ accountId }) => accountId === order?.accountId);
  if (!order || !customer) return [`nobody ordered ${id}, which was delivered`];
  try {
    const secret = customer.webhookSecrets[order.mode];
    const tolerance = { toleranceSeconds: TOLERANCE_SECONDS };
    const { data } = await verifyWebhook(new Uint8Array(body), headers, secret, tolerance);
    const { status } = data as { status: string };
    if (status === rows.get(id)?.status) return [];
    return [`${id} ended ${rows.get(id)?.status} and was delivered as ${status}`];
  } catch (error) {
    return [`the webhook of ${id}: ${(error as Error).message}`];
  }
}
