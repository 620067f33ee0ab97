/** A request as code in curl, TypeScript and Python, and when its Idempotency-Key must change. */
import { Anchor, Tabs } from "@mantine/core";
import {
  curlSample,
  pythonSample,
  type SampleRequest,
  typescriptSample,
} from "../../../samples/sample-languages.ts";
import { CodeBlock, Note } from "./texts.tsx";

const LANGUAGES = { curl: curlSample, TypeScript: typescriptSample, Python: pythonSample };

export function SampleTabs({ request }: { request: SampleRequest }) {
  return (
    <Tabs defaultValue="curl">
      <Tabs.List mb="sm">
        {Object.keys(LANGUAGES).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(LANGUAGES).map(([name, write]) => (
        <Tabs.Panel key={name} value={name}>
          <CodeBlock code={write(request)} label={`Request in ${name}`} />
        </Tabs.Panel>
      ))}
      <Note mt="xs">
        Run twice, it is charged once. What is shown here has a new Idempotency-Key whenever it
        changes; if you edit the code yourself, change its key too.{" "}
        <Anchor href="/docs/guides/quickstart#run-a-sample" underline="always">
          What the samples need
        </Anchor>
      </Note>
    </Tabs>
  );
}
