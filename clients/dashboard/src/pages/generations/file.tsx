/** The page of one file that was sent: its picture, and what is known of it. */
import { Card, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { CopyText, DetailList } from "../../components/texts.tsx";
import { Missing, QueryResult } from "../../components/states.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { dateTime, tokens } from "../../components/value-format.ts";
import { queryKeys } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";

export default function File() {
  const { id = "" } = useParams();
  const { keyPrefix, params, to } = useScope();
  const file = useQuery({
    queryKey: queryKeys.file(keyPrefix, id),
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/files/{id}", {
          params: { ...params, path: { ...params.path, id } },
        }),
      ),
  });
  return (
    <QueryResult
      query={file}
      loading={<Skeleton height={360} radius="lg" />}
      missing={
        <Missing title="No such file" page="generations" pageName="the generations">
          It was deleted, or it belongs to the other mode or another account.
        </Missing>
      }
    >
      {({ url, content_type: type, bytes, width, height, created_at: at }) => (
        <>
          <PageHead title="File" parent={{ to: to("generations"), label: "Generations" }}>
            <span className="mono">{id}</span> <CopyText value={id} label="Copy the id" />
          </PageHead>
          <Card component="section" aria-label="File">
            <Stack>
              <img
                src={url}
                alt=""
                style={{ maxWidth: "100%", maxHeight: 420, objectFit: "contain" }}
              />
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
    </QueryResult>
  );
}
