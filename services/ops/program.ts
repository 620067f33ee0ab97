/** The commands of the operators' command line. */
import { Command } from "commander";
import { accountCommand } from "./commands/account.ts";
import { assetsCommand } from "./commands/assets.ts";
import { auditCommand } from "./commands/audit.ts";
import { migrateCommand, provisionCommand } from "./commands/database.ts";
import { discountCommand } from "./commands/discount.ts";
import { generationCommand, generationsCommand } from "./commands/generations.ts";
import { keyCommand } from "./commands/key.ts";
import { keysCommand } from "./commands/keys.ts";
import {
  adjustCommand,
  reconcileCommand,
  statementCommand,
  transactionsCommand,
} from "./commands/ledger.ts";
import { providerCommand } from "./commands/provider.ts";
import { requestsCommand } from "./commands/requests.ts";
import { retentionCommand } from "./commands/retention.ts";
import { serviceTokenCommand } from "./commands/service-token.ts";
import { statusCommand } from "./commands/status.ts";
import { userCommand } from "./commands/user.ts";
import { balanceCommand, rechargeCommand } from "./commands/tokens.ts";
import { webhookCommand } from "./commands/webhook.ts";

/** Not parsed yet. */
export const opsProgram = (): Command =>
  new Command("ops")
    .description("Operate the media generation service: npm run --silent ops -- <command>")
    .showHelpAfterError()
    .enablePositionalOptions()
    .addCommand(accountCommand())
    .addCommand(requestsCommand())
    .addCommand(keyCommand())
    .addCommand(rechargeCommand())
    .addCommand(balanceCommand())
    .addCommand(adjustCommand())
    .addCommand(discountCommand())
    .addCommand(transactionsCommand())
    .addCommand(statementCommand())
    .addCommand(auditCommand())
    .addCommand(reconcileCommand())
    .addCommand(statusCommand())
    .addCommand(generationsCommand())
    .addCommand(generationCommand())
    .addCommand(providerCommand())
    .addCommand(webhookCommand())
    .addCommand(assetsCommand())
    .addCommand(retentionCommand())
    .addCommand(userCommand())
    .addCommand(serviceTokenCommand())
    .addCommand(provisionCommand())
    .addCommand(migrateCommand())
    .addCommand(keysCommand());
