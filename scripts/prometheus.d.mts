/** Types of prometheus.mjs for TypeScript. */
export function locatePrometheus(): { server: string; promtool: string } | undefined;
