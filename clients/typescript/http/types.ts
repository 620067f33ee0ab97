/** Short names for the API's types, which are generated from the OpenAPI document. */
import type { components, operations } from "../../../gen/openapi/media.ts";

type Schemas = components["schemas"];
type Generation = Schemas["VideoGeneration"] | Schemas["ImageGeneration"];

/** A generation with what its status says of its other fields: one that `failed` has an error, one of `success` its files. */
type ByStatus<Any extends Generation> =
  | Known<Any, { status: "pending" | "processing" | "canceled"; error?: never }>
  | Succeeded<Any>
  | Known<Any, { status: "failed"; error: NonNullable<Any["error"]> }>;
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
