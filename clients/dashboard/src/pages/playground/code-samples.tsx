/** The form's request as code in curl, TypeScript and Python, for a server with an API key. */
import { Card, Tabs, Title } from "@mantine/core";
import { createRequest, curlSample, pythonSample, typescriptSample } from "../../data/samples.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import type { Request } from "./form-values.ts";

const LANGUAGES = [
  { name: "curl", write: curlSample },
  { name: "TypeScript", write: typescriptSample },
  { name: "Python", write: pythonSample },
];

export function CodeSamples({ request: { kind, body } }: { request: Request }) {
  const request = createRequest(kind, body);
  return (
    <Card component="section" aria-labelledby="request-code">
      <Title order={2} id="request-code" fz={16} mb="xs">
        This request as code
      </Title>
      <Tabs defaultValue="curl">
        <Tabs.List mb="sm">
          {LANGUAGES.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map(({ name, write }) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock code={write(request)} label={`Request in ${name}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}
