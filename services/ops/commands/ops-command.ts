/** A command that calls services and prints what they answer: for people, or with `--json` for programs. */
import { Command } from "commander";
import { rowOf, type Fields, type OutputRow } from "../session/print.ts";
import { inSession, print, printList, type Format, type Session } from "../session/session.ts";
import { jsonOption } from "./options.ts";

/** `O` has the options of the command by their names. */
type Call<O, Result> = (session: Session, options: O, ...args: string[]) => Promise<Result>;

export class OpsCommand extends Command {
  override createCommand(name?: string): OpsCommand {
    return new OpsCommand(name);
  }

  /** Prints a line for each field of the row that `call` makes. */
  printsRow<O>(call: Call<O, OutputRow>): this {
    return this.addOption(jsonOption()).action(async () => {
      print(this.opts<Format>().json, await this.#made(call));
    });
  }

  /** Prints a row for each thing that `call` finds. `none` is said where it finds nothing. */
  printsRows<O, T>(fields: Fields<T>, call: Call<O, readonly T[]>, none?: string): this {
    return this.addOption(jsonOption()).action(async () => {
      const rows = (await this.#made(call)).map((one) => rowOf(fields, one));
      printList(this.opts(), Object.keys(fields), rows, none);
    });
  }

  #made<O, Result>(call: Call<O, Result>): Promise<Result> {
    return inSession((session) => call(session, this.opts() as O, ...this.args));
  }
}
