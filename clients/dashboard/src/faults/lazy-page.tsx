/** Pages that are loaded when they are first opened. */
import { type ComponentType, use } from "react";

export type PageModule = { default: ComponentType };

/** A page could not be loaded. The next render after `forget` loads it again. */
export class PageLoadError extends Error {
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super("This page could not be loaded.", { cause });
    this.forget = forget;
  }
}

/** A component that loads the page before its first render, and what begins that earlier. */
export function lazyPage(load: () => Promise<PageModule>) {
  let loading: Promise<ComponentType> | undefined;
  let loaded: ComponentType | undefined;
  const loadOnce = async () => {
    try {
      return (loaded = (await load()).default);
    } catch (cause) {
      throw new PageLoadError(cause, () => (loading = undefined));
    }
  };
  const begin = () => (loading ??= loadOnce());
  function Page() {
    // `use` would suspend also for a page that is there, and React shows a fallback for at least 300 ms.
    const Loaded = loaded ?? use(begin());
    return <Loaded />;
  }
  return { Page, begin };
}
