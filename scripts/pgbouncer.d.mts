/** Types of pgbouncer.mjs for TypeScript. */
export function locatePgbouncer(): { program: string; libraries: string } | undefined;
