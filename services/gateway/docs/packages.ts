/** The packages of the clients that the documentation offers, as `scripts/client-packages.mjs` packs them. */
import { readFile } from "node:fs/promises";
import typescriptPackage from "../../../clients/typescript/package.json" with { type: "json" };

const DIRECTORY = new URL("../../../clients/packages/", import.meta.url);

/** All clients have one version. */
const { version } = typescriptPackage;

const FILES = {
  typescriptPackage: `media-generation-client-${version}.tgz`,
  aiSdkPackage: `media-generation-ai-sdk-${version}.tgz`,
  pythonPackage: `media_generation_client-${version}-py3-none-any.whl`,
};

export const PACKAGE_TYPES: Readonly<Record<string, string>> = {
  [FILES.typescriptPackage]: "application/gzip",
  [FILES.aiSdkPackage]: "application/gzip",
  [FILES.pythonPackage]: "application/zip",
};

export type PackageUrls = Readonly<Record<keyof typeof FILES, string>>;

/** The URL of each package, by the name that the guides have for it. */
export function packageUrls(origin: string): PackageUrls {
  const url = (file: string) => `${origin}/docs/packages/${file}`;
  return {
    typescriptPackage: url(FILES.typescriptPackage),
    aiSdkPackage: url(FILES.aiSdkPackage),
    pythonPackage: url(FILES.pythonPackage),
  };
}

/** Undefined where it is not packed. */
export async function packageContent(file: string): Promise<Buffer | undefined> {
  return readFile(new URL(file, DIRECTORY)).catch(() => undefined);
}
