/** The events of the stream: their subjects and message types. */
import type { DescMessage } from "@bufbuild/protobuf";
import {
  GenerationCreatedSchema,
  GenerationFinishedSchema,
} from "#gen/proto/media/events/v1/events_pb.ts";

export type EventType<T extends DescMessage> = { subject: string; schema: T };

/** A generation is ready to be worked on. */
export const generationCreated = {
  subject: "generation.v1.created",
  schema: GenerationCreatedSchema,
} satisfies EventType<typeof GenerationCreatedSchema>;

/** A generation has reached a terminal status. */
export const generationFinished = {
  subject: "generation.v1.finished",
  schema: GenerationFinishedSchema,
} satisfies EventType<typeof GenerationFinishedSchema>;

/** The JetStream stream that stores them. */
export const STREAM = {
  name: "GENERATION",
  subjects: ["generation.v1.>"],
  maxAgeMs: 24 * 60 * 60 * 1000,
};
