/** Chooses the user that PostgreSQL runs as, since it refuses to run as root. */
import { chown, chmod, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { User } from "../launch.ts";
import { StartError } from "../../start-error.ts";

/** The user to run as, who is the owner of `data` where it exists; undefined means: as ourselves. */
export async function chooseServerUser(data: string): Promise<User | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new StartError(
    "PostgreSQL does not run as root, and there is no user postgres or nobody here.",
  );
}

/** Makes `directory` and all that is in it `user`'s own, closed to others; a no-op where it is. */
export async function giveTo(directory: string, user: User | undefined): Promise<void> {
  const { uid, mode } = await stat(directory);
  const owner = user?.uid ?? process.geteuid?.() ?? uid;
  if (uid !== owner && !user) {
    throw new StartError(
      `${directory} belongs to another user (number ${uid}): start as that user or as root, or choose another DATA_DIR.`,
    );
  }
  if (user && uid !== owner) {
    const inside = await readdir(directory, { recursive: true });
    for (const name of [...inside, "."]) await chown(join(directory, name), user.uid, user.gid);
  }
  if ((mode & 0o777) !== 0o700) await chmod(directory, 0o700);
}
