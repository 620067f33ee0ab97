/** `/llms.txt` (llmstxt.org): for agents, what the service is and where each page is as Markdown. */
import type { OpenApiDocument } from "../edge/http/contract.ts";
import { markdownUrl, sectionsOf, type Page } from "./site.ts";

/** `publicUrl` is the service's, `baseUrl` that of the API. */
export function llmsText(
  document: OpenApiDocument,
  pages: readonly Page[],
  { publicUrl, baseUrl }: { publicUrl: string; baseUrl: string },
): string {
  const { title, summary } = (document as unknown as { info: Record<"title" | "summary", string> })
    .info;
  const sections = [...sectionsOf(pages)].map(([section, members]) => {
    const links = members.map(
      ({ path, title: name, note }) =>
        `- [${name}](${publicUrl}${markdownUrl(path)})${note === undefined ? "" : `: ${note}`}`,
    );
    return `## ${section}\n\n${links.join("\n")}`;
  });
  const blocks = [
    `# ${title}`,
    `> ${summary}`,
    `The API is at ${baseUrl}, its OpenAPI document at ${publicUrl}/openapi.json and ${publicUrl}/openapi.yaml.`,
    `Agents can use it by MCP at ${publicUrl}/mcp (Streamable HTTP, with an API key as Bearer token).`,
    `All pages below in one file: ${publicUrl}/llms-full.txt.`,
    ...sections,
  ];
  return `${blocks.join("\n\n")}\n`;
}
