/** Operations on files whose folder may be missing. */
import { mkdir } from "node:fs/promises";

/** Runs `operation`, which creates a file in `folder`; where the folder is missing, creates it and runs it again. */
export async function inFolder<T>(folder: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await mkdir(folder, { recursive: true });
    return operation();
  }
}
