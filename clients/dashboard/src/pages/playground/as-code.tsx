/** The form's request in curl, TypeScript and Python, as a server would send it with a key of its own. */
import { Card, Tabs, Title } from "@mantine/core";
import { createRequest, curlSample, pythonSample, typescriptSample } from "../../data/samples.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import type { Request } from "./use-submit.ts";

const LANGUAGES = [
  { name: "curl", write: curlSample },
  { name: "TypeScript", write: typescriptSample },
  { name: "Python", write: pythonSample },
];

export function AsCode({ request: { kind, body } }: { request: Request }) {
  const request = createRequest(kind, body);
  return (
    <Card component="section" aria-labelledby="as-code">
      <Title order={2} id="as-code" fz={16} mb="xs">
        The same as code
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
