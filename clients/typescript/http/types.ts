/** The API's types, of those that are generated from the OpenAPI document and the catalog. */
import type { components, operations } from "../../../gen/openapi/media.ts";
import type { KnownImageModels, KnownVideoModels } from "./known-models.ts";

type Schemas = components["schemas"];
type Generation = Schemas["VideoGeneration"] | Schemas["ImageGeneration"];

/** A generation with what its status says of its other fields: one that `failed` has an error, one of `success` its files. */
type ByStatus<Any extends Generation> =
  | Known<Any, { status: "pending" | "processing"; output: []; error?: never }>
  | Known<Any, { status: "canceled"; output: []; error?: never }>
  | Succeeded<Any>
  | Known<Any, { status: "failed"; output: []; error: NonNullable<Any["error"]> }>;
type Succeeded<Any extends Generation> = Known<Any, { status: "success"; error?: never }> & {
  output: [Any["output"][number], ...Any["output"][number][]];
};
type Known<Any, Fields> = Omit<Any, keyof Fields> & Fields;

/** `status` says what there is: `if (video.status === "failed") video.error.code`. */
export type Video = ByStatus<Schemas["VideoGeneration"]>;
export type Image = ByStatus<Schemas["ImageGeneration"]>;
/** A video that succeeded has a file at least. */
export type SucceededVideo = Succeeded<Schemas["VideoGeneration"]>;
export type SucceededImage = Succeeded<Schemas["ImageGeneration"]>;
/** What an answer is of: the document has one type for generations of any status. */
export type Refined<Data> = Data extends Schemas["VideoGeneration"]
  ? Video
  : Data extends Schemas["ImageGeneration"]
    ? Image
    : Data;
export type Model = Schemas["Model"];
export type Balance = Schemas["Balance"];
export type TokenPrice = Schemas["TokenPrice"];
export type Transaction = Schemas["Transaction"];
export type Usage = Schemas["Usage"];
export type StoredFile = Schemas["StoredFile"];
export type Delivery = Schemas["WebhookDelivery"];
export type ApiRequest = Schemas["ApiRequest"];
/** The requests as they are sent, with URLs for all pictures. */
export type VideoBody = Schemas["CreateVideoGenerationRequest"];
export type ImageBody = Schemas["CreateImageGenerationRequest"];

type Query<Operation extends keyof operations> = WithDates<
  NonNullable<operations[Operation]["parameters"]["query"]>
>;

/** A time may be a Date. */
type WithDates<Filter> = {
  [Name in keyof Filter]: Filter[Name] | (Name extends `created_${string}` ? Date : never);
};

/** `limit` is the page size, not the length of the list; `after` is the cursor of a page, to go on from its end. */
export type VideoFilter = Query<"listVideoGenerations">;
export type ImageFilter = Query<"listImageGenerations">;
export type FileFilter = Query<"listFiles">;
export type TransactionFilter = Query<"listTransactions">;
export type UsageFilter = Query<"retrieveUsage">;
export type DeliveryFilter = Query<"listWebhookDeliveries">;
export type RequestFilter = Query<"listRequests">;

/** A file's name is an object, never a plain text: a text that a stranger wrote must not name a file of this machine. */
export type Picture =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | { path: string };

/** What has the URL of a picture: a file that was sent, or an output. */
type WithUrl = { readonly url: string };

/** The body with pictures allowed wherever it takes the URL of an image. */
export type WithPictures<Body> = {
  [Field in keyof Body]: Field extends `${string}image_url` | "mask_url"
    ? Body[Field] | URL | Picture | WithUrl
    : Field extends `${string}image_urls`
      ? (string | URL | Picture | WithUrl)[] | Extract<Body[Field], null | undefined>
      : Field extends "reference_images"
        ? WithPicture<Body[Field]>
        : Body[Field];
};

type WithPicture<Entries> = Entries extends (infer Entry extends object)[]
  ? (Omit<Entry, "url"> & { url: string | URL | Picture | WithUrl })[]
  : Entries;

/** Completes to the models that were in the catalog when this version was made; `GET /models` is the authority. */
export type VideoModelId = keyof KnownVideoModels | (string & {});
export type ImageModelId = keyof KnownImageModels | (string & {});

/** The request of a video. Of a known model it takes that model's values; `VideoRequest` without a model takes all. */
export type VideoRequest<Id extends string = string> = { model: Id } & VideoInputs<Id>;
export type ImageRequest<Id extends string = string> = { model: Id } & ImageInputs<Id>;

/** In place of a model of the other kind; compilers show its name and the reason. */
interface Refused<Reason extends string> {
  readonly refused: Reason;
}

/** The fields of the request but for `model`. No request has a known model of the other kind. */
export type VideoInputs<Id extends string> = Id extends keyof KnownVideoModels
  ? Narrowed<WithPictures<VideoBody>, KnownVideoModels[Id]>
  : Id extends keyof KnownImageModels
    ? Omit<WithPictures<VideoBody>, "model"> & {
        model: Refused<"This model makes images: call images.create.">;
      }
    : Omit<WithPictures<VideoBody>, "model">;
export type ImageInputs<Id extends string> = Id extends keyof KnownImageModels
  ? Narrowed<WithPictures<ImageBody>, KnownImageModels[Id]>
  : Id extends keyof KnownVideoModels
    ? Omit<WithPictures<ImageBody>, "model"> & {
        model: Refused<"This model makes videos: call videos.create.">;
      }
    : Omit<WithPictures<ImageBody>, "model">;

/** `refused` are the fields that the model does not take, `required` those that it cannot do without. */
type KnownModel = { values: object; refused: string; required: string };

/** Mapped from the body itself, so that editors show the description of each field. */
type Narrowed<Body, Model extends KnownModel> = {
  [
    Field in keyof Body as Exclude<Field, "model" | Model["required" | "refused"]>
  ]: Field extends keyof Model["values"] ? Model["values"][Field] | null : Body[Field];
} & {
  [Field in keyof Body as Extract<Field, Model["required"]>]-?: NonNullable<Body[Field]>;
};
