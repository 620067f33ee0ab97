/** Presents how many entries a list has. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { publicTime } from "#vocabulary/public-time.ts";
import type { Schemas } from "./operation.ts";

type Counted = { count: bigint; tokens?: bigint; countedBackTo?: Timestamp | undefined };

/** Counts that a service made, as totals. */
export function presentListTotals({
  count,
  tokens,
  countedBackTo: backTo,
}: Counted): Schemas["ListTotals"] {
  return {
    object: "list.totals",
    count: Number(count),
    ...(tokens === undefined ? {} : { tokens: Number(tokens) }),
    ...(backTo ? { counted_back_to: publicTime(backTo) } : {}),
  };
}
