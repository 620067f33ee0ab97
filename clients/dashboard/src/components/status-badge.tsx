/** A generation's or a delivery's status, told by word and colour. */
import { Badge } from "@mantine/core";

const COLORS: Record<string, string> = {
  success: "teal",
  delivered: "teal",
  pending: "gray",
  processing: "iris",
  failed: "red",
  exhausted: "red",
  canceled: "gray",
};

export function StatusBadge({ status }: { status: string }) {
  return <Badge color={COLORS[status] ?? "gray"}>{status}</Badge>;
}
