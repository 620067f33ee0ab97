/** The create requests: what is known of a model narrows its inputs, and other models stay allowed. */
import type { KnownImageModels, KnownVideoModels } from "./known-models.ts";
import type { WithPictures } from "./pictures.ts";
import type { ImageBody, VideoBody } from "./types.ts";

/** Completes to the models that were in the catalog when this version was made; `GET /models` is the authority. */
export type VideoModelId = keyof KnownVideoModels | (string & {});
export type ImageModelId = keyof KnownImageModels | (string & {});

/**
 * The request of a video. Of a known model it takes the values that the model takes; `VideoRequest` without a model
 * takes all.
 */
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
type Known = { values: object; refused: string; required: string };

/** Mapped from the body itself, so that editors show the description of each field. */
type Narrowed<Body, Model extends Known> = {
  [
    Field in keyof Body as Exclude<Field, "model" | Model["required" | "refused"]>
  ]: Field extends keyof Model["values"] ? Model["values"][Field] | null : Body[Field];
} & {
  [Field in keyof Body as Extract<Field, Model["required"]>]-?: NonNullable<Body[Field]>;
};
