/** Opens a data folder and keeps it, for a test that kills it. */
import { openDataFolder } from "../../../services/standalone/data-folder/data-folder.ts";

export const folder = await openDataFolder(process.env["FOLDER"] ?? "");
process.stdout.write("holds it\n");
setInterval(() => {}, 60_000);
