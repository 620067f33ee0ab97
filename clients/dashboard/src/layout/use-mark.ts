/** Marks one of what a search has found: arrow keys in its field move the mark, and Enter opens what is marked. */
import { useRef, type KeyboardEvent } from "react";

/** Links that say what was searched are no options. */
const FOUND = "[role=option], a";

export function useMark() {
  const field = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLDivElement>(null);
  /** Undefined: nothing is marked. */
  const at = useRef<number>(undefined);
  const found = () => [...(results.current?.querySelectorAll<HTMLElement>(FOUND) ?? [])];

  /** To be called after what is found has changed: its elements are React's, the mark on them is not. */
  const show = () => {
    const all = found();
    const marked = at.current === undefined ? undefined : all[Math.min(at.current, all.length - 1)];
    for (const [index, one] of all.entries()) {
      one.id = `found-${index}`;
      one.toggleAttribute("data-marked", one === marked);
      if (one.role === "option") one.ariaSelected = String(one === marked);
    }
    const lists = results.current?.querySelectorAll("[role=listbox]") ?? [];
    field.current?.setAttribute("aria-controls", [...lists].map(({ id }) => id).join(" "));
    field.current?.setAttribute("aria-activedescendant", marked?.id ?? "");
    return marked;
  };
  const mark = (index: number | undefined) => {
    at.current = index;
    return show();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { length } = found();
    if (step === undefined || length === 0) return;
    event.preventDefault();
    const before = at.current ?? (step > 0 ? -1 : 0);
    mark((before + step + length) % length)?.scrollIntoView({ block: "nearest" });
  };
  const open = () => found()[at.current ?? -1]?.click();
  return { field, results, mark, show, open, onKeyDown };
}
