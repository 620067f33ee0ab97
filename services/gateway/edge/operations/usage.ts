/** retrieveUsage: GET /usage. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import type { components, operations } from "#gen/openapi/media.ts";
import { UsageGroup, type Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { MAX_USAGE_DAYS } from "#vocabulary/public-values.ts";
import { USAGE_DAYS, usageSpan, type UsageSpan } from "../../domain/usage-spans.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import type { Deps } from "./deps.ts";
import { ownerOf, type Operation } from "./operation.ts";

type Given = NonNullable<operations["retrieveUsage"]["parameters"]["query"]>;
type Query = Given & Required<Pick<Given, "group_by">>;

const GROUPS = {
  day: UsageGroup.DAY,
  model: UsageGroup.MODEL,
  key: UsageGroup.KEY,
  end_user: UsageGroup.END_USER,
} as const;

export const retrieveUsage: Operation = (deps) => async (request) => {
  const { mode } = callerOf(request);
  const { group_by, ...days } = request.query as Query;
  for (const param of ["from", "to"] as const) requireUsageDay(param, days[param]);
  const span = usageSpan(deps.clock.now(), days);
  if (!span) throw badSpan(days.to);
  const { from, to } = span;
  return {
    object: "usage",
    mode,
    from,
    to,
    group_by,
    ...presentUsage(await readUsage(deps, request, span, group_by)),
  } satisfies components["schemas"]["Usage"];
};

/** The usage of the caller's account in their mode, in groups; by day and model where `groupBy` is undefined. */
export async function readUsage(
  { generation }: Pick<Deps, "generation">,
  request: FastifyRequest,
  { begin, end }: Pick<UsageSpan, "begin" | "end">,
  groupBy?: keyof typeof GROUPS,
): Promise<readonly Usage[]> {
  const { usage } = await generation.getUsage({
    ...ownerOf(request),
    from: timestampFromDate(begin),
    to: timestampFromDate(end),
    ...(groupBy && { groupBy: GROUPS[groupBy] }),
  });
  return usage;
}

function requireUsageDay(param: "from" | "to", day: string | undefined): void {
  const { first, last } = USAGE_DAYS;
  if (day === undefined || (day >= first && day <= last)) return;
  const message = `${param} must be a day from ${first} to ${last}.`;
  throw new Problem("out_of_range", { message, param });
}

function badSpan(to: string | undefined): Problem {
  if (to === undefined) {
    return new Problem("out_of_range", {
      message: "from must not be after today. Send an earlier day, or to as well.",
      param: "from",
    });
  }
  return new Problem("out_of_range", {
    message: `to must be the day of from, or a day up to ${MAX_USAGE_DAYS - 1} days later.`,
    param: "to",
  });
}

type Schemas = components["schemas"];

export function presentUsage(usage: readonly Usage[]): Pick<Schemas["Usage"], "data" | "total"> {
  const data = usage.map(({ date, model, keyId, endUser, ...numbers }) => ({
    ...(date === "" ? {} : { date }),
    ...(model === "" ? {} : { model }),
    ...(keyId === "" ? {} : { key_id: keyId }),
    ...(endUser === "" ? {} : { end_user: endUser }),
    ...sumsOf(numbers),
  }));
  const total = { generations: 0n, tokens: 0n, reserved: 0n };
  for (const { generations, tokens, reserved } of usage) {
    total.generations += generations;
    total.tokens += tokens;
    total.reserved += reserved;
  }
  return { data, total: sumsOf(total) };
}

function sumsOf({
  generations,
  tokens,
  reserved,
}: Pick<Usage, "generations" | "tokens" | "reserved">): Schemas["UsageSums"] {
  return {
    generations: Number(generations),
    captured: Number(tokens),
    reserved: Number(reserved),
    net: Number(tokens + reserved),
  };
}
