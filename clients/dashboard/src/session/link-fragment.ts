/** The secrets of a mailed link are in its fragment, which browsers never send to a server. */
import { useWindowEvent } from "@mantine/hooks";
import { useEffect, useState } from "react";

const read = () => new URLSearchParams(globalThis.location.hash.slice(1));

function clear(): void {
  const { pathname, search } = globalThis.location;
  globalThis.history.replaceState(globalThis.history.state, "", pathname + search);
}

/** The fragment with which the page was opened, also while it is open. It is removed from the address bar and history. */
export function useLinkFragment(): URLSearchParams {
  const [fragment, setFragment] = useState(read);
  useEffect(() => {
    if (globalThis.location.hash !== "") clear();
  }, []);
  useWindowEvent("hashchange", () => {
    setFragment(read());
    clear();
  });
  return fragment;
}
