/** The provider's package, installed from its tarball into an empty project beside `ai`. */
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { installInto, run } from "../typescript/packed-client.ts";
import { newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const SHOW = `process.stdout.write(JSON.stringify([image.mediaType, video.mediaType, providerMetadata.mediaGeneration]));
`;

describe("the package", () => {
  const project = folderForTests();
  beforeAll(async () => {
    await installInto(project, "clients/ai-sdk");
    await writeFile(join(project, "package.json"), '{"type":"module"}');
    await symlink(resolve("node_modules/ai"), join(project, "node_modules/ai"));
    const readme = await readFile("clients/ai-sdk/README.md", "utf8");
    const [, sample = ""] = /^```ts\n(.*?)^```/ms.exec(readme) ?? [];
    await writeFile(join(project, "sample.ts"), sample + SHOW);
  });

  it("does what its README shows, as it is on the page", async () => {
    const service = await sharedService();
    const key = await (await newCustomer(service)).key("test");
    const env = { MEDIA_API_KEY: key, MEDIA_BASE_URL: `${service.url}/v1` };
    const { stdout } = await run(process.execPath, ["sample.ts"], { cwd: project, env });
    expect(JSON.parse(stdout.slice(stdout.indexOf("[")))).toEqual([
      "image/png",
      "video/mp4",
      { videos: [expect.objectContaining({ id: expect.stringMatching(/^vgen_/) as string })] },
    ]);
  });

  it("has types that the AI SDK's functions take", async () => {
    const types = [resolve("node_modules/@types")];
    const options = { module: "nodenext", target: "es2022", strict: true, noEmit: true };
    const compilerOptions = { ...options, skipLibCheck: true, typeRoots: types, types: ["node"] };
    const config = { compilerOptions, files: ["sample.ts"] };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
    const tsc = resolve("node_modules/typescript-7/bin/tsc");
    const compiled = run(process.execPath, [tsc, "-p", "."], { cwd: project });
    const { stdout } = await compiled.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });
});
