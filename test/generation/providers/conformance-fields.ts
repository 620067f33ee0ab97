/** Conformance of optional fields: what a provider carries is in its request, and what it does not carry is not dropped. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ImageInputSchema,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { lackOf } from "../../../services/generation/domain/capabilities.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import { jobWith, send, type Started, type Subject } from "./provider-under-test.ts";

const url = "https://pictures.test/a.png";
const picture = { content: Buffer.from("a picture"), contentType: "image/png" };
const framed = { imageUrls: [url], pictures: [picture] };

/** A field as a request has it and as a job has it; `beside`: what both requests have that are compared. */
type Field = { input: object; job: Partial<Job>; beside?: Partial<Job> };

/** One request and one job for each optional field. */
export const FIELDS: Record<Job["kind"], Record<string, Field>> = {
  video: {
    seed: { input: { seed: 0 }, job: { seed: 7 } },
    resolution: { input: { resolution: "1080P" }, job: { width: 1920, height: 1080 } },
    audio: { input: { audio: false }, job: { audio: false } },
    last_image_url: {
      input: { imageUrl: url, lastImageUrl: url },
      job: { lastImageUrl: url },
      beside: framed,
    },
    reference_images: {
      input: { referenceImages: [{ url, role: "subject" }] },
      job: { references: [{ url, role: "subject" }] },
    },
    video_url: { input: { videoUrl: url }, job: { videoUrl: url } },
  },
  image: {
    prompt_extend: {
      input: { promptExtend: false },
      job: { promptExtend: false },
      beside: { promptExtend: true },
    },
    seed: { input: { seed: 0 }, job: { seed: 7 } },
    n: { input: { n: 2 }, job: { count: 2 } },
    mask_url: {
      input: { imageUrls: [url], maskUrl: url },
      job: { maskUrl: url, pictures: [picture, picture] },
      beside: framed,
    },
    background: { input: { background: "opaque" }, job: { background: "opaque" } },
    output_format: { input: { outputFormat: "png" }, job: { outputFormat: "png" } },
  },
};

export function fieldsConform(started: Started, subject: Subject) {
  const jobs = [subject.jobs.job, subject.imageJob ?? subject.image?.job]
    .filter((job) => job !== undefined)
    .map((job) => jobWith({ kind: "image", ...job }));
  describe("optional fields", () => {
    for (const job of jobs) {
      for (const [name, field] of Object.entries(FIELDS[job.kind])) {
        test(`${job.kind}: ${name} is sent, or the upstream is said to lack it`, async () => {
          const { provider, fake } = started;
          const schema = job.kind === "video" ? VideoInputSchema : ImageInputSchema;
          const input = create(schema, field.input);
          const taken = provider.carries?.(job.kind, job.parameters)[name];
          const lack = lackOf({ provider, parameters: job.parameters }, input);
          expect(lack?.field).toBe(taken ? undefined : name);
          // The one format that all its models make needs no word.
          if (!taken || (name === "output_format" && taken.values?.length === 1)) return;
          const sent = async (fields: Partial<Job>) => {
            await send(provider, { ...job, ...field.beside, ...fields });
            const { json, form } = fake.requests.at(-1) ?? {};
            return JSON.stringify([json, form && [...form]]);
          };
          const plain = await sent({});
          expect(await sent({})).toBe(plain);
          expect(await sent(field.job)).not.toBe(plain);
        });
      }

      test(`${job.kind}: a negative prompt is always sent`, async () => {
        await started.send({ ...job, negativePrompt: "umbrellas" });
        expect(JSON.stringify(started.fake.requests.at(-1)?.json)).toContain("umbrellas");
      });
    }
  });
}
