/** All statements on the gateway's tables, and what their rows are. */
export * from "./accounts.ts";
export * from "./api-keys.ts";
export * from "./audit-log.ts";
export * from "./invitations.ts";
export * from "./memberships.ts";
export * from "./rate-limits.ts";
export * from "./request-log.ts";
export * from "./sessions.ts";
export * from "./users.ts";
