/** Keeps the page when a file is dropped beside a field: the browser would leave it and open the file. */
import { useEffect } from "react";

export function useFileDropGuard(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      // A field that takes the file has prevented it already.
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    globalThis.addEventListener("dragover", refuse);
    globalThis.addEventListener("drop", refuse);
    return () => {
      globalThis.removeEventListener("dragover", refuse);
      globalThis.removeEventListener("drop", refuse);
    };
  }, []);
}
