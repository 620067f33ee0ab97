/** Types of haproxy.mjs for TypeScript. */
export function locateHaproxy(): { program: string; libraries: string } | undefined;
