/** Object storage in memory, for tests of handlers that store something. */
import { Readable } from "node:stream";
import type { ObjectStore } from "../../services/delivery/storage/object-store.ts";

export function memoryStore(): ObjectStore & { objects: Map<string, Buffer> } {
  const objects = new Map<string, Buffer>();
  return {
    objects,
    put: async (key, body) => {
      objects.set(key, Buffer.concat(await Readable.from(body).toArray()));
    },
    head: async (key) => {
      const found = objects.get(key);
      return found && { bytes: found.byteLength };
    },
    get: async (key) => {
      const found = objects.get(key);
      return found && Readable.from([found]);
    },
    delete: async (key) => void objects.delete(key),
    list: async function* () {},
    removeUnfinished: async () => {},
  };
}
