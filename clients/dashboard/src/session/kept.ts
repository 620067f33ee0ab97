/** Values that the browser keeps: over leaving a page and over reloads, until the user signs out. */
import { useSyncExternalStore } from "react";

const PREFIX = "media.kept ";
/** Set with each sign-out: documents of other tabs load anew, so that they keep nothing either. */
export const SIGNED_OUT = "media.signed-out";

/** This document's own: another tab must not take the place of what is entered or sent in this one. */
const values = new Map<string, unknown>();
const listeners = new Set<() => void>();

/** Undefined when nothing is kept under this name. */
export function readKept<T>(name: string): T | undefined {
  if (!values.has(name)) {
    const text = localStorage.getItem(PREFIX + name);
    values.set(name, text === null ? undefined : JSON.parse(text));
  }
  return values.get(name) as T | undefined;
}

/** `undefined` removes it. */
export function keep(name: string, value: unknown): void {
  values.set(name, value);
  for (const notify of listeners) notify();
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The browser's storage is full: the value is kept until the document is closed.
  }
}

/** The value kept under this name; the component renders again when it changes. */
export function useKept<T>(name: string): T | undefined {
  return useSyncExternalStore(subscribe, () => readKept<T>(name));
}

export function forgetAllKept(): void {
  values.clear();
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  }
  localStorage.setItem(SIGNED_OUT, String(Date.now()));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
