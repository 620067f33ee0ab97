/** Presents usage in groups, with its total. */
import type { components } from "#gen/openapi/media.ts";
import type { Usage } from "#gen/proto/media/generation/v1/generation_pb.ts";

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
