/** Reads EGRESS_ALLOW: address blocks that may be called although they are not public, for development only. */
import { parseCidrs } from "./address.ts";
import type { EnvReader } from "./env.ts";

/** The blocks as written. A wrong one is a problem; so is any of them in production. */
export function readEgressAllow(reader: EnvReader): string[] {
  const list = reader.list("EGRESS_ALLOW");
  if (list.length > 0 && reader.isProduction) {
    reader.problem("EGRESS_ALLOW must not be set when NODE_ENV is production");
  }
  try {
    parseCidrs(list);
  } catch (error) {
    reader.problem(`EGRESS_ALLOW: ${(error as Error).message}`);
  }
  return list;
}
