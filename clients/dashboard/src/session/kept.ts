/** Values that the browser keeps: over leaving a page and over reloads, until the user signs out. */
import { useMemo, useSyncExternalStore } from "react";

const PREFIX = "media.kept ";

const listeners = new Set<() => void>();

const textOf = (name: string) => localStorage.getItem(PREFIX + name);

function valueOf<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Undefined when nothing is kept under this name. */
export const readKept = <T>(name: string) => valueOf<T>(textOf(name));

/** `undefined` removes it. */
export function keep(name: string, value: unknown): void {
  if (value === undefined) localStorage.removeItem(PREFIX + name);
  else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  for (const notify of listeners) notify();
}

/** The value kept under this name; the component renders again when it changes. */
export function useKept<T>(name: string): T | undefined {
  const text = useSyncExternalStore(subscribe, () => textOf(name));
  return useMemo(() => valueOf<T>(text), [text]);
}

export function forgetAllKept(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
