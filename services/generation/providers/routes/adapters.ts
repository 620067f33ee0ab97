/** The adapters that a routes file may name, and where their upstreams are by default. */
import type { Adapter } from "../adapter.ts";

export type Adapters = Readonly<Record<string, { adapter: Adapter; baseUrl: string }>>;

export const ADAPTERS: Adapters = {};
