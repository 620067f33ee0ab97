/** Random account ids for tests. */
import { randomId } from "#runtime/id.ts";

export const newAccountId = (): string => randomId("acct");
