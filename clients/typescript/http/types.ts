/** Short names for the API's types, which are generated from the OpenAPI document. */
import type { components, operations } from "../../../gen/openapi/media.ts";

type Schemas = components["schemas"];

export type Video = Schemas["VideoGeneration"];
export type Image = Schemas["ImageGeneration"];
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
