/** Every acknowledged create has ended as it should, once, under one id. */
import type { Order } from "../orders.ts";
import type { Check, Row } from "./evidence.ts";

export const checkEnds: Check = ({ orders, rows }) => {
  const wrong: string[] = [];
  for (const [id, order] of orders) {
    const row = rows.get(id);
    if (order.isAcknowledged && !row) wrong.push(`${id} was acknowledged and has no row`);
    if (!order.isAcknowledged && !order.isAbandoned) wrong.push(`${order.key} was never answered`);
    if (row) wrong.push(...endFaults(order, row));
    const others = [...order.ids].filter((one) => one !== id);
    if (others.length > 0)
      wrong.push(`${order.key} is ${id} and was answered with ${others.join()}`);
  }
  for (const id of rows.keys()) if (!orders.has(id)) wrong.push(`nobody ordered ${id}`);
  return wrong;
};

function endFaults(order: Order, row: Row): string[] {
  const { id, status, step, error_code: code, error_message: message } = row;
  if (step !== "done") return [`${id} is in step ${step}, status ${status}`];
  const isStopped =
    (order.stoppedBy === "customer" && status === "canceled") ||
    (order.stoppedBy === "operator" && status === "failed" && code === "internal");
  if (isStopped) return [];
  // An image whose worker died within the call fails, and its Tokens are restored.
  const isInterrupted = order.kind === "image" && status === "failed" && code === "internal";
  const isWanted =
    order.wanted === "failed"
      ? status === "failed" && code === "content_rejected"
      : status === "success";
  return isWanted || isInterrupted ? [] : [`${id} ended ${status}: ${code} ${message}`];
}
