/** Types of openapi-breaking.mjs for TypeScript. */
export function breakingChanges(before: object, after: object): string[];

export function checkReleased(file: string, folder: string): { ok: boolean; output: string };

export function readDocument(file: string): Record<string, unknown>;
