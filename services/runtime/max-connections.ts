/** How many connections a port may have: fewer than the files that its process may open. */
export const MAX_CONNECTIONS = 10_000;
