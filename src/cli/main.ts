import { Command, Help, type Option } from 'commander';
import { dataDirectoryGiven } from '../config.js';
import { SettingsReader } from '../settings.js';
import { version } from '../version.js';
import { auditCommands } from './audit.js';
import { deliveryCommands } from './deliveries.js';
import { describeFailure, exitCodes, UsageError } from './failure.js';
import { flowCommands } from './flows.js';
import { listenCommand } from './listen.js';
import { listenerCommands } from './listeners.js';
import { organisationCommands } from './organisations.js';
import { projectionCommands } from './projections.js';
import { replayCommands } from './replays.js';
import { serveCommand } from './serve.js';
import { storeCommands } from './store.js';
import { taskCommands } from './tasks.js';

const program = new Command('flow-hooks')
  .description('Operates a Flow Hooks service: works on its stores, also while the service runs.')
  .version(version)
  .option(
    '--data-dir <directory>',
    'the service’s data directory',
    nonEmpty,
    dataDirectoryGiven(new SettingsReader(process.env)),
  )
  .option('--json', 'print JSON, one value a line')
  .addHelpText('after', '\nWith EVENTSTOREDB_URL and MONGODB_URL set it works on those, as the service does.')
  .addHelpText('after', '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the store cannot be used.')
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'flow-hooks: ')) })
  .configureHelp({ optionDescription })
  .showHelpAfterError('(add --help for what there is)')
  .exitOverride();

for (const command of [
  serveCommand(),
  taskCommands(),
  flowCommands(),
  listenerCommands(),
  organisationCommands(),
  deliveryCommands(),
  auditCommands(),
  projectionCommands(),
  replayCommands(),
  storeCommands(),
  listenCommand(),
]) {
  program.addCommand(inheriting(command));
}

/** The option of a variable that is not set would otherwise mean the current directory. */
function nonEmpty(directory: string): string {
  if (directory.trim() === '') throw new UsageError('--data-dir must name a directory');
  return directory;
}

/** Help tells which options a command cannot do without. */
function optionDescription(this: Help, option: Option): string {
  const described = Help.prototype.optionDescription.call(this, option);
  return option.mandatory ? `${described} (required)` : described;
}

/** Subcommands end and complain as the program does. */
function inheriting(command: Command): Command {
  command.copyInheritedSettings(program);
  for (const subcommand of command.commands) inheriting(subcommand);
  return command;
}

// Who reads what is printed may have seen enough (`| head`): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.done);
});

try {
  await program.parseAsync();
} catch (error) {
  const { line, exitCode } = describeFailure(error);
  if (line !== undefined) process.stderr.write(`flow-hooks: ${line}\n`);
  process.exitCode = exitCode;
}
