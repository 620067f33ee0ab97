/** The S3 client: where it connects, as whom, and how long it waits. */
import { S3Client } from "@aws-sdk/client-s3";

export type S3Config = {
  /** The address of S3-compatible storage other than Amazon's. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** Undefined: the SDK's own chain, which is environment, shared files, web identity, container and instance. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  forcePathStyle: boolean;
};

export type S3Limits = {
  /** Each of up to three attempts of a request, until the headers of its response. */
  requestMs: number;
  /** The same for reads, which a client waits for. */
  readMs: number;
  /** A whole put. A wait for a buffer ends with the puts before it. */
  putMs: number;
};

export const LIMITS: S3Limits = { requestMs: 60_000, readMs: 10_000, putMs: 4 * 60_000 };
const MAX_ATTEMPTS = 3;

export function s3Client(config: S3Config, { requestMs }: S3Limits): S3Client {
  const { credentials, endpoint, region, forcePathStyle } = config;
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    forcePathStyle,
    ...(credentials === undefined ? {} : { credentials }),
    // Payloads are signed with their SHA-256; not every S3-compatible storage supports the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      // A download holds a socket until the client has read it.
      httpAgent: { maxSockets: 512 },
      httpsAgent: { maxSockets: 512 },
    },
  });
}
