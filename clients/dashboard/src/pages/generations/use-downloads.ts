/** Downloads several files, one after the other, and says how far it is. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useNotice } from "../../data/notice.ts";

/** Chromium begins ten downloads of a page in a second, and silently drops any more. */
const GAP_MS = 125;

type Download = { url: string; name: string };

/** `begun`: how many of the files that `run` was called with. */
export function useDownloads() {
  const say = useNotice();
  const [begun, setBegun] = useState(0);
  const run = useMutation({
    mutationFn: async (files: readonly Download[]) => {
      for (const [index, file] of files.entries()) {
        if (index > 0) await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        begin(file);
        setBegun(index + 1);
      }
      if (files.length > 1) say(`${files.length} downloads begun`);
    },
  });
  return { run, begun };
}

function begin({ url, name }: Download): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
