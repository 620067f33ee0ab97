/** The width of an element, for what is drawn to fit it. */
import { useCallback, useState, type RefCallback } from "react";

/** The width in pixels of an element without padding; known before the element is painted first, and kept up to date. */
export function useWidth<T extends HTMLElement>(): [RefCallback<T>, number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: T) => {
    const measure = () => setWidth(element.clientWidth);
    // An observer alone tells it after the first paint when the browser is busy.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
