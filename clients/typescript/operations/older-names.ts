/** The names that the functions had in version 1.0: they work as before, and the new ones do the same. */
import type { Account } from "./account.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Files } from "./files.ts";
import type { Images } from "./images.ts";
import type { Resources } from "./resources.ts";
import type { Videos } from "./videos.ts";

export type OlderNames = {
  /** @deprecated Write `videos.create`. */
  createVideo: Videos["create"];
  /** @deprecated Write `videos.createAndWait`. */
  createVideoAndWait: Videos["createAndWait"];
  /** @deprecated Write `videos.retrieve`. */
  retrieveVideo: Videos["retrieve"];
  /** @deprecated Write `videos.list`. */
  listVideos: Videos["list"];
  /** @deprecated Write `videos.cancel`. */
  cancelVideo: Videos["cancel"];
  /** @deprecated Write `videos.delete`. */
  deleteVideo: Videos["delete"];
  /** @deprecated Write `videos.wait`. */
  waitForVideo: Videos["wait"];
  /** @deprecated Write `images.create`. */
  createImage: Images["create"];
  /** @deprecated Write `images.createAndWait`. */
  createImageAndWait: Images["createAndWait"];
  /** @deprecated Write `images.retrieve`. */
  retrieveImage: Images["retrieve"];
  /** @deprecated Write `images.list`. */
  listImages: Images["list"];
  /** @deprecated Write `images.cancel`. */
  cancelImage: Images["cancel"];
  /** @deprecated Write `images.delete`. */
  deleteImage: Images["delete"];
  /** @deprecated Write `images.wait`. */
  waitForImage: Images["wait"];
  /** @deprecated Write `files.create`. */
  createFile: Files["create"];
  /** @deprecated Write `files.retrieve`. */
  retrieveFile: Files["retrieve"];
  /** @deprecated Write `files.delete`. */
  deleteFile: Files["delete"];
  /** @deprecated Write `models.list`. */
  listModels: Account["models"]["list"];
  /** @deprecated Write `models.retrieve`. */
  retrieveModel: Account["models"]["retrieve"];
  /** @deprecated Write `balance.retrieve`. */
  retrieveBalance: Account["balance"]["retrieve"];
  /** @deprecated Write `usage.retrieve`. */
  retrieveUsage: Account["usage"]["retrieve"];
  /** @deprecated Write `transactions.list`. */
  listTransactions: Account["transactions"]["list"];
  /** @deprecated Write `requests.list`. */
  listRequests: Account["requests"]["list"];
  /** @deprecated Write `deliveries.list`. */
  listDeliveries: Deliveries["list"];
  /** @deprecated Write `deliveries.retrieve`. */
  retrieveDelivery: Deliveries["retrieve"];
  /** @deprecated Write `deliveries.redeliver`. */
  redeliver: Deliveries["redeliver"];
};

export function olderNames(all: Resources): OlderNames {
  const { videos, images, files, models, deliveries } = all;
  return {
    createVideo: videos.create,
    createVideoAndWait: videos.createAndWait,
    retrieveVideo: videos.retrieve,
    listVideos: videos.list,
    cancelVideo: videos.cancel,
    deleteVideo: videos.delete,
    waitForVideo: videos.wait,
    createImage: images.create,
    createImageAndWait: images.createAndWait,
    retrieveImage: images.retrieve,
    listImages: images.list,
    cancelImage: images.cancel,
    deleteImage: images.delete,
    waitForImage: images.wait,
    createFile: files.create,
    retrieveFile: files.retrieve,
    deleteFile: files.delete,
    listModels: models.list,
    retrieveModel: models.retrieve,
    retrieveBalance: all.balance.retrieve,
    retrieveUsage: all.usage.retrieve,
    listTransactions: all.transactions.list,
    listRequests: all.requests.list,
    listDeliveries: deliveries.list,
    retrieveDelivery: deliveries.retrieve,
    redeliver: deliveries.redeliver,
  };
}
