/** The longest span of usage that a request may name, as the documents say it. */
export const MAX_USAGE_DAYS = 92;
