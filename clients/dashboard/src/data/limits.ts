/** How far a limit of Tokens is used. */
import type { Schemas } from "../api/client.ts";

export type Limit = Schemas["AccountLimits"]["limits"][number];

/** From here on it is worth a warning. */
const NEARLY = 0.8;

export const isUsedUp = ({ used, tokens }: Limit): boolean => used >= tokens;

export const isNearlyUsedUp = ({ used, tokens }: Limit): boolean => used >= NEARLY * tokens;
