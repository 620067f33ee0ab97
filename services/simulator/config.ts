/** The simulator's settings; the only reader of its environment. */
import { asSecret, envReader, stringOrFile, type Env, type EnvReader } from "#runtime/env.ts";
import { readLogLevel } from "#runtime/service/service.ts";

const SECRET = "SIMULATOR_SECRET";
const MEGABYTE = 1024 * 1024;

export type SimulatorConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  const reader = envReader(env);
  return reader.done({
    ...readTuning(reader),
    host: reader.string("HOST", "127.0.0.1"),
    /** 0 = a free one. */
    port: reader.integer("SIMULATOR_PORT", 0, 0, 65_535),
    /** What addresses of files begin with; undefined: this process's own address. */
    baseUrl: reader.optional("SIMULATOR_URL") && reader.url("SIMULATOR_URL"),
    /** Encrypts job ids and signs file addresses; the same for every replica. */
    secret: asSecret(reader, SECRET, stringOrFile(reader, SECRET).trim()),
    /** A cache of rendered files; replicas on one machine may share it. */
    cacheDirectory: reader.string("SIMULATOR_CACHE_DIR", ".data/simulator"),
    /** How long requests in flight may take when it stops. */
    drainMs: reader.integer("DRAIN_MS", 10_000, 0, 600_000),
    logLevel: readLogLevel(reader),
  });
}

/** Settings that `npm start` takes, too. */
export function readTuning(reader: EnvReader) {
  return {
    /** How long a video takes from its submit to success; 0: as long as it takes to render. */
    paceMs: reader.integer("SIMULATOR_PACE_MS", 4_000, 0, 3_600_000),
    /** `fixture` gives one flat clip for each size and length, at next to no cost. */
    render: reader.oneOf("SIMULATOR_RENDER", ["draw", "fixture"], "draw"),
    maxCacheBytes: reader.integer("SIMULATOR_CACHE_MB", 1_024, 1, 1_000_000) * MEGABYTE,
    /** How long the address of an output is valid. */
    urlTtlMs: reader.integer("SIMULATOR_URL_TTL_MS", 3_600_000, 1, 86_400_000),
  };
}
