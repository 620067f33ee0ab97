/** Pages that are loaded when they are first opened, and what happens when one cannot be loaded. */
import { type ComponentType, use } from "react";
import { reloader } from "./reload-once.ts";

export type PageModule<Props = object> = { default: ComponentType<Props> };

const reloadOnce = reloader({
  storage: sessionStorage,
  isServerThere: async () => {
    const response = await fetch("/dashboard", { cache: "no-store" }).catch(() => undefined);
    return response?.ok === true;
  },
  reload: () => globalThis.location.reload(),
});

/** Never resolves: the document is being loaded again. */
const forever = () => new Promise<never>(() => {});

/** A page could not be loaded. The next render after `forget` loads it again. */
export class PageLoadError extends Error {
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super("This page could not be loaded.", { cause });
    this.forget = forget;
  }
}

type LazyPage<Props> = {
  Page: ComponentType<Props>;
  /** Begins to load the page before it is rendered. Rejects as its render would fail. */
  begin: () => Promise<unknown>;
};

/**
 * A component that loads the page before its first render. Unlike React's `lazy` it loads again after a failure. When
 * the server answers but does not have the file, there is a newer release, and the whole document is loaded again.
 */
export function lazyPage<Props extends object = object>(
  load: () => Promise<PageModule<Props>>,
): LazyPage<Props> {
  let loading: Promise<ComponentType<Props>> | undefined;
  let loaded: ComponentType<Props> | undefined;
  const forget = () => (loading = undefined);
  const loadOnce = async () => {
    try {
      ({ default: loaded } = await load());
      reloadOnce.worked();
      return loaded;
    } catch (error) {
      if (await reloadOnce.isStarted()) return forever();
      throw new PageLoadError(error, forget);
    }
  };
  const begin = () => (loading ??= loadOnce());
  return {
    begin,
    Page: function LazyPage(props: Props) {
      // `use` would suspend also for a page that is there, and React shows a fallback for at least 300 ms.
      const Page = loaded ?? use(begin());
      return <Page {...props} />;
    },
  };
}
