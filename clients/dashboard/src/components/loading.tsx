/** Placeholders shown while content loads. */
import { Center, Loader, Skeleton, Stack, VisuallyHidden } from "@mantine/core";

export function PageLoading() {
  return (
    <Center mih={240} role="status">
      <Loader size="sm" type="dots" />
      <VisuallyHidden>Loading</VisuallyHidden>
    </Center>
  );
}

/** Grey bars of the rows' size, so that the layout does not move when the rows arrive. */
export function RowsLoading({ rows = 5, height = 36 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  );
}
