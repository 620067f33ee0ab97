/** Presents a picture that a client sent. */
import type { components } from "#gen/openapi/media.ts";
import type { File } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { publicTime } from "#vocabulary/public-time.ts";
import { required } from "./required.ts";

type PublicFile = components["schemas"]["File"];

/** The URL of a file is `assetBaseUrl`, a slash and its storage key. */
export function presentFile(file: File, assetBaseUrl: string): PublicFile {
  const { id, key, bytes, width, height, expiresAt } = file;
  return {
    id,
    object: "file",
    url: `${assetBaseUrl}/${key}`,
    content_type: file.contentType as PublicFile["content_type"],
    bytes: Number(bytes),
    width,
    height,
    created_at: publicTime(required(file.createdAt)),
    ...(expiresAt ? { expires_at: publicTime(expiresAt) } : {}),
  };
}
