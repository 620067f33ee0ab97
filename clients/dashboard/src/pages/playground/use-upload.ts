/** Sends a picture that the user has chosen, and remembers the names of those that were sent. */
import { useIsMutating, useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { useScope } from "../../data/scope.ts";
import { keep, readKept, useKept } from "../../session/kept.ts";

/** The names of sent pictures by their URLs. */
type Names = Readonly<Record<string, string>>;

const UPLOAD = ["playground upload"];

/** Whether a picture is being sent: until it is there, a request would leave it out. */
export function useIsUploading(): boolean {
  return useIsMutating({ mutationKey: UPLOAD }) > 0;
}

/** `onSent` gets the picture's URL. */
export function useUpload(onSent: (url: string) => void) {
  const { account, user, params } = useScope();
  const store = `${user.id} ${account.id} sent pictures`;
  const names = useKept<Names>(store) ?? {};
  const upload = useMutation({
    mutationKey: UPLOAD,
    mutationFn: (file: File) =>
      unwrap(
        api.POST("/accounts/{account_id}/files", {
          params,
          body: { file: file.name },
          bodySerializer: () => {
            const form = new FormData();
            form.append("file", file);
            return form;
          },
        }),
      ),
    onSuccess: ({ url }, { name }) => {
      keep(store, { ...readKept<Names>(store), [url]: name });
      onSent(url);
    },
  });
  return { upload, names };
}
