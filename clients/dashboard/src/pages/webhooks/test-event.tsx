/** The form that sends a test event to a URL and links to its delivery; and what forwards events to a server that is not public. */
import { NativeSelect } from "@mantine/core";
import { Send } from "lucide-react";
import { EVENT_TYPES } from "#gen/openapi/limits.ts";
import typescriptPackage from "../../../../typescript/package.json" with { type: "json" };
import type { Schemas } from "../../api/client.ts";
import { ActionForm } from "../../components/action-form.tsx";
import { field, TextInput } from "../../components/form/form.tsx";
import { Section } from "../../components/page-head.tsx";
import { CodeBlock, TextLink } from "../../components/texts.tsx";
import { useScope } from "../../data/scope.ts";

type EventType = NonNullable<Schemas["TestEventRequest"]["type"]>;

/** The package is the service's own: npm has none of its name. */
function forwardEvents(mode: "live" | "test"): string {
  const { origin } = globalThis.location;
  const { name, version } = typescriptPackage;
  return [
    `export MEDIA_BASE_URL=${origin}/v1`,
    `export MEDIA_API_KEY=mgs_${mode}_…`,
    `npx --package ${origin}/docs/packages/${name}-${version}.tgz \\`,
    "  media-generation listen --forward-to localhost:3000/webhooks",
  ].join("\n");
}

export function TestEvent() {
  const { mode, to } = useScope();
  return (
    <>
      <Section title="Send a test event" note="To a public address.">
        <ActionForm
          isRow
          action="Send"
          icon={<Send size={15} aria-hidden />}
          run={(call, form) =>
            call("sendTestEvent", {
              body: { url: field(form, "url"), type: field(form, "type") as EventType },
            })
          }
          answered={({ id }) => (
            <>
              The event, with sample data, is on its way.{" "}
              <TextLink to={to(`settings/webhooks/${id}`)}>See its delivery</TextLink>
            </>
          )}
        >
          <TextInput
            name="url"
            label="URL"
            type="url"
            required
            maxLength={2_048}
            placeholder="https://shop.example.com/hooks/media"
            flex="1 1 280px"
          />
          <NativeSelect
            name="type"
            label="Event"
            w={250}
            defaultValue="webhook.test"
            data={EVENT_TYPES}
          />
        </ActionForm>
      </Section>
      <Section
        title="On your own machine"
        note="Run this where your server is, with an API key of this mode: it forwards the events of your generations."
      >
        <CodeBlock label="Forward events" code={forwardEvents(mode)} />
      </Section>
    </>
  );
}
