/** What the shell completes of the command line. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commandLine, type Actions, type Shell } from "../../../clients/typescript/cli/commands.ts";
import { completionScript } from "../../../clients/typescript/cli/completion.ts";

describe("completion", () => {
  let script = "";
  const completion = (shell: Shell) => (script = completionScript(program, shell));
  const program = commandLine({ ...({} as Actions), completion });

  it("gives bash the commands, the options of each, and the values of an option", async () => {
    await program.parseAsync(["completion", "bash"], { from: "user" });
    const complete = (...words: string[]) => {
      const list = words.map((word) => `"${word}"`).join(" ");
      const ask = `${script}\nCOMP_WORDS=(media-generation ${list}); COMP_CWORD=${words.length}; _media_generation; echo "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", ask], { encoding: "utf8" }).trim().split(" ");
    };
    expect(complete("li")).toEqual(["list", "listen"]);
    expect(complete("video", "--mo")).toEqual(["--model"]);
    expect(complete("list", "--status", "p")).toEqual(["pending", "processing"]);
    expect(complete("image", "a cat", "--model", "")).toEqual(["gamma-image-3.0-pro"]);
    expect(complete("usage", "--group-by", "")).toEqual(["day", "model", "key", "end_user"]);
    expect(complete("upload", "--")).toContain("--json");
    // Bash completes the names of files itself.
    for (const words of [
      ["video", "a cat", "--image", ""],
      ["video", "a cat", "--end-user", "--"],
    ])
      expect(complete(...words)).toEqual([""]);
  });

  it("gives zsh and fish the same words", async () => {
    await program.parseAsync(["completion", "zsh"], { from: "user" });
    expect(script).toContain("compinit && bashcompinit\n");
    await program.parseAsync(["completion", "fish"], { from: "user" });
    expect(script).toContain("-n __fish_use_subcommand -f -a listen");
    expect(script).toContain('"__fish_seen_subcommand_from list" -l status -r -f -a "pending');
    expect(script).toContain(
      '"__fish_seen_subcommand_from image" -l model -r -f -a "gamma-image-3.0-pro"',
    );
  });
});
