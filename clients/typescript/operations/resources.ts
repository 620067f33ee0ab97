/** What the client has: for each kind of object the functions of it. */
import type { Connection } from "../http/connection.ts";
import { account, type Account } from "./account.ts";
import { deliveries, type Deliveries } from "./deliveries.ts";
import { files, type Files } from "./files.ts";
import { images, type Images } from "./images.ts";
import { videos, type Videos } from "./videos.ts";

export type Resources = Account & {
  videos: Videos;
  images: Images;
  files: Files;
  deliveries: Deliveries;
};

export function resources(connection: Connection): Resources {
  return {
    videos: videos(connection),
    images: images(connection),
    files: files(connection),
    deliveries: deliveries(connection),
    ...account(connection),
  };
}
