/** Types of promtool.mjs for TypeScript. */
export function locatePromtool(): string | undefined;
