/** The timeline of a generation, derived from its timestamps, its transactions and its webhook deliveries. */
import type { components } from "#gen/openapi/dashboard.ts";
import { isTerminal } from "#vocabulary/names.ts";

type Schemas = components["schemas"];
type Entry = Schemas["TimelineEntry"];
type TimelineSource = Pick<Schemas["GenerationView"], "generation" | "transactions" | "deliveries">;

const MONEY_TYPES = { reserve: "reserved", capture: "charged", release: "restored" } as const;
const TERMINAL_TYPES = { success: "succeeded", failed: "failed", canceled: "canceled" } as const;

/** The order of entries with the same time: a cause comes before its effect. */
const ORDER: Entry["type"][] = [
  "created",
  "reserved",
  "started",
  "charged",
  "restored",
  "succeeded",
  "failed",
  "canceled",
  "webhook_sent",
];

/** The entries in chronological order. A capture or release of 0 shows the amount that was reserved. */
export function timelineOf({ generation, transactions, deliveries }: TimelineSource): Entry[] {
  const { created_at, started_at, completed_at, status } = generation;
  const reserved = transactions.find(({ type }) => type === "reserve");
  const entries: Entry[] = [
    { at: created_at, type: "created" },
    ...transactions.flatMap(({ type, tokens, created_at: at }) =>
      isMoneyMove(type)
        ? [{ at, type: MONEY_TYPES[type], tokens: Math.abs(tokens || (reserved?.tokens ?? 0)) }]
        : [],
    ),
    ...(started_at === undefined ? [] : [{ at: started_at, type: "started" as const }]),
    ...(completed_at === undefined || !isTerminal(status)
      ? []
      : [{ at: completed_at, type: TERMINAL_TYPES[status] }]),
    ...deliveries.flatMap(({ attempts }) =>
      attempts.map(({ at, status_code, error }) => ({
        at,
        type: "webhook_sent" as const,
        ...(status_code !== undefined && { status_code }),
        ...(error !== undefined && { error }),
      })),
    ),
  ];
  return entries.toSorted(
    (a, b) => a.at.localeCompare(b.at) || ORDER.indexOf(a.type) - ORDER.indexOf(b.type),
  );
}

function isMoneyMove(type: string): type is keyof typeof MONEY_TYPES {
  return type in MONEY_TYPES;
}
