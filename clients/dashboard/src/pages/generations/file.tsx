/** The page of one file that was sent: its picture, and what is known of it. */
import { Card, Stack } from "@mantine/core";
import { useParams } from "react-router";
import classes from "../../components/output.module.css";
import { PageHead } from "../../components/page-head.tsx";
import { OneResult } from "../../components/states.tsx";
import { DetailList, Copyable } from "../../components/texts.tsx";
import { useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { dateTime, tokens } from "../../data/value-format.ts";

export default function File() {
  const { id = "" } = useParams();
  const { to } = useScope();
  const file = useAnswer("retrieveStoredFile", { id });
  return (
    <OneResult query={file} noun="file" page="generations" all="generations">
      {({ url, content_type: type, bytes, width, height, created_at: at }) => (
        <>
          <PageHead title="File" parent={{ to: to("generations"), label: "Generations" }}>
            <Copyable text={id} />
          </PageHead>
          <Card component="section" aria-label="File">
            <Stack>
              <img src={url} alt="" className={classes.media} />
              <DetailList
                details={[
                  { name: "Type", value: type },
                  { name: "Size", value: `${width} × ${height}, ${tokens(bytes)} bytes` },
                  { name: "Sent", value: dateTime(at) },
                  { name: "URL", value: url },
                ]}
              />
            </Stack>
          </Card>
        </>
      )}
    </OneResult>
  );
}
