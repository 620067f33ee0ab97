/** What happened to a generation, in the order of time: told by its own times, its Tokens and its webhooks. */
import type { components } from "#gen/openapi/dashboard.ts";

type Schemas = components["schemas"];
type Entry = Schemas["TimelineEntry"];
type Told = Pick<Schemas["GenerationView"], "generation" | "transactions" | "deliveries">;

const MONEY = { reserve: "reserved", capture: "charged", release: "restored" } as const;
const ENDS = { success: "succeeded", failed: "failed", canceled: "canceled" } as const;

/** In a tie, what causes something stands before it. */
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

export function timelineOf({ generation, transactions, deliveries }: Told): Entry[] {
  const { created_at, started_at, completed_at, status } = generation;
  const reserved = transactions.find(({ type }) => type === "reserve");
  const entries: Entry[] = [
    { at: created_at, type: "created" },
    ...transactions.flatMap(({ type, tokens, created_at: at }) =>
      isMove(type)
        ? [{ at, type: MONEY[type], tokens: Math.abs(tokens || (reserved?.tokens ?? 0)) }]
        : [],
    ),
    ...(started_at === undefined ? [] : [{ at: started_at, type: "started" as const }]),
    ...(completed_at === undefined || !isEnd(status)
      ? []
      : [{ at: completed_at, type: ENDS[status] }]),
    ...deliveries.flatMap(({ attempts }) =>
      attempts.map(({ at, status_code }) => ({
        at,
        type: "webhook_sent" as const,
        ...(status_code === undefined ? {} : { status_code }),
      })),
    ),
  ];
  return entries.toSorted(
    (a, b) => a.at.localeCompare(b.at) || ORDER.indexOf(a.type) - ORDER.indexOf(b.type),
  );
}

function isMove(type: string): type is keyof typeof MONEY {
  return type in MONEY;
}

function isEnd(status: string): status is keyof typeof ENDS {
  return status in ENDS;
}
