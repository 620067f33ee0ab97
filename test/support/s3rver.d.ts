/** The part of the S3 test server's interface that the tests use; the package brings no types. */
declare module "@20minutes/s3rver" {
  import type { Server } from "node:http";
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
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}
