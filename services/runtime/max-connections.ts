/**
 * How many connections a port may have. Node raises its limit of open files to the hard one at the start: that has to be
 * above this.
 */
export const MAX_CONNECTIONS = 10_000;
