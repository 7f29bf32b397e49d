import { Command } from 'commander';
import { asOfCommand } from './as-of.js';
import { historyCommand } from './history.js';
import { checkCommand, sealCommand } from './seal.js';
import { verifyCommand } from './verify.js';

/** `audit history|as-of|verify|seal|check`: what the events say, and whether they are still what they were. */
export function auditCommands(): Command {
  const audit = new Command('audit').description('what happened to registrations, when, and who did it');
  for (const command of [historyCommand(), asOfCommand(), verifyCommand(), sealCommand(), checkCommand()]) {
    audit.addCommand(command);
  }
  return audit;
}
