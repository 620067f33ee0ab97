/** Types for the S3 test server, which has none: only the part of its interface that the tests use. */
declare module "@20minutes/s3rver" {
  import type { Server } from "node:http";
  export type Context = {
    app: { allowMismatchedSignatures: boolean };
    method: string;
    url: string;
    path: string;
    query: Record<string, string | string[] | undefined>;
    status: number;
    type: string;
    body: unknown;
  };
  export type Middleware = (ctx: Context, next: () => Promise<void>) => Promise<void>;
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      vhostBuckets: boolean;
      configureBuckets: { name: string }[];
    });
    httpServer: Server;
    middleware: Middleware[];
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}
