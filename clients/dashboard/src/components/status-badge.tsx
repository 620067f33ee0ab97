/** The status of a generation or a delivery, as a coloured badge. */
import { Badge } from "@mantine/core";

const COLORS: Record<string, string> = {
  success: "teal",
  delivered: "teal",
  pending: "gray",
  processing: "iris",
  failed: "red",
  failing: "amber",
  exhausted: "red",
  canceled: "gray",
};

export function StatusBadge({ status }: { status: string }) {
  return <Badge color={COLORS[status] ?? "gray"}>{status}</Badge>;
}
