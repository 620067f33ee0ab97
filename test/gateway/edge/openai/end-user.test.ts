/** The end user of creates in OpenAI's shape. */
import { describe, expect, it } from "vitest";
import { makeImage } from "../../../support/make-media.ts";
import { image, video } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { post } from "../../requests.ts";

const harness = useHarness();

const VIDEO = { model: "alpha-2.0", prompt: "a boat" };
const IMAGE = { model: "gamma-image-3.0-pro", prompt: "a boat" };
const send = (path: string, body: object) => harness.send(path, post(harness.key.secret, body));
const created = () => harness.calls.findLast(({ method }) => /^create(Video|Image)$/.test(method));

describe("an end user", () => {
  it.each([
    [{ user: "ann" }, "ann"],
    [{ safety_identifier: "bob" }, "bob"],
    [{ user: "ann", safety_identifier: "bob" }, "bob"],
    [{ user: null }, undefined],
    [{}, undefined],
  ])("of a request in OpenAI's shape with %j is %s", async (named, endUser) => {
    harness.backends.createVideo = () => ({ generation: video(), replayed: false });
    harness.backends.createImage = () => ({ generation: image(), replayed: false });
    await send("/openai/v1/videos", { ...VIDEO, ...named });
    expect(created()?.request).toMatchObject({ input: { prompt: "a boat" } });
    expect(endUserOf(created())).toBe(endUser);
    await send("/openai/v1/images/generations", { ...IMAGE, ...named });
    expect(created()?.method).toBe("createImage");
    expect(endUserOf(created())).toBe(endUser);
  });

  it("of a form is taken as that of JSON", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...IMAGE, user: "ann" })) form.set(name, value);
    form.set("image", new File([new Uint8Array(makeImage("png"))], "a.png", { type: "image/png" }));
    const headers = { authorization: `Bearer ${harness.key.secret}` };
    await harness.send("/openai/v1/images/edits", { method: "POST", headers, body: form });
    expect(endUserOf(created())).toBe("ann");
  });
});

const endUserOf = (call: ReturnType<typeof created>) =>
  (call?.request as { input?: { endUser?: string } } | undefined)?.input?.endUser;
