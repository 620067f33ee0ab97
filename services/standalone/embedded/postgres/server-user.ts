/** Chooses the user that PostgreSQL runs as: it refuses to run as root. */
import { chown, chmod, readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { User } from "../launch.ts";
import { StartError } from "../../settings/start-error.ts";

/** The owner of `data` if it exists, else postgres or nobody; undefined means the current user. */
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
    "PostgreSQL does not run as root, and this machine has no user postgres or nobody.",
  );
}

/** Makes `user` the owner of `directory` and its contents, and closes it to others. */
export async function changeOwner(directory: string, user: User | undefined): Promise<void> {
  const { uid, mode } = await stat(directory);
  const owner = user?.uid ?? process.geteuid?.() ?? uid;
  if (uid !== owner && !user) {
    throw new StartError(
      `${directory} belongs to another user (uid ${uid}): start as that user or as root, or choose another DATA_DIR.`,
    );
  }
  if (user && uid !== owner) {
    const inside = await readdir(directory, { recursive: true });
    for (const name of [...inside, "."]) await chown(join(directory, name), user.uid, user.gid);
  }
  if ((mode & 0o777) !== 0o700) await chmod(directory, 0o700);
}
