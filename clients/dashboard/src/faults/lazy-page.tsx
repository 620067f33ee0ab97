/** Pages that are loaded when they are first opened, and what happens when one cannot be loaded. */
import { use } from "react";
import type { ComponentType } from "react";
import { reloader } from "./reload-once.ts";

type PageModule = { default: ComponentType };

const reloadOnce = reloader({
  storage: sessionStorage,
  isServerThere: async () => {
    const response = await fetch("/dashboard", { cache: "no-store" }).catch(() => undefined);
    return response?.ok === true;
  },
  reload: () => globalThis.location.reload(),
});

/** While the document is loaded again. */
const forever = () => new Promise<never>(() => {});

/** A page could not be loaded. The next render after `forget` loads it again. */
export class PageLoadError extends Error {
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super("This page could not be loaded.", { cause });
    this.forget = forget;
  }
}

/**
 * A component that loads the page before its first render. Unlike React's `lazy` it loads again after a failure. When
 * the server answers but does not have the file, there is a newer release, and the whole document is loaded again.
 */
export function lazyPage(load: () => Promise<PageModule>): ComponentType {
  let loading: Promise<PageModule> | undefined;
  const forget = () => (loading = undefined);
  const begin = async (): Promise<PageModule> => {
    try {
      const page = await load();
      reloadOnce.worked();
      return page;
    } catch (error) {
      if (await reloadOnce.isStarted()) return forever();
      throw new PageLoadError(error, forget);
    }
  };
  return function LazyPage() {
    const { default: Page } = use((loading ??= begin()));
    return <Page />;
  };
}
