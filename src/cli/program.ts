import { Argument, Command, Help, type Option } from 'commander';
import { restartWithBoundedMemory } from '../kernel/bounded-memory.js';
import { version } from '../kernel/version.js';
import { SettingsReader } from '../service/config/settings.js';
import { dataDirectoryGiven } from '../service/config/shared-settings.js';
import { action } from './action.js';
import { apiKeyCommands } from './api-keys/commands.js';
import { auditCommands } from './audit/commands.js';
import { clientCommands } from './clients/commands.js';
import { connectionCommands } from './connection/commands.js';
import { consentCommands } from './consents/commands.js';
import { deliveryCommands } from './deliveries/commands.js';
import { errorLine, UsageError } from './failure.js';
import { flowCommands } from './flows/commands.js';
import { importCommands } from './import/commands.js';
import { keyCommands } from './keys/commands.js';
import { listenerCommands } from './listeners/commands.js';
import { operationCommands } from './operations/commands.js';
import { organisationOption } from './options.js';
import { organisationCommands } from './orgs/commands.js';
import { portalCommands } from './portal/commands.js';
import { projectionCommands } from './projections/commands.js';
import { replayCommands } from './replays/commands.js';
import { sessionCommands } from './sessions/commands.js';
import { storeCommands } from './store/commands.js';
import { taskCommands } from './tasks/commands.js';
import { typeCommands } from './types/commands.js';

/**
 * All commands of `flow-hooks` with their options. `environment`: contains the default of `--data-dir`. `json`: errors of usage are
 * printed as JSON.
 */
export function flowHooks(environment: NodeJS.ProcessEnv, { json = false } = {}): Command {
  const program = new Command('flow-hooks')
    .description(
      'Operates a Flow Hooks service: a remote one through its admin API, or that of this machine on its stores, running or not.',
    )
    .version(version)
    .option(
      '--data-dir <directory>',
      'the service’s data directory',
      nonEmpty,
      dataDirectoryGiven(new SettingsReader(environment)),
    )
    .option('--url <url>', 'a service, such as https://hooks.example.com; or FLOW_HOOKS_URL')
    .option(
      '--key <key>',
      'an admin key of that service; or FLOW_HOOKS_KEY, which other users of this machine cannot see',
    )
    .option('--profile <name>', 'a service that login remembers; or FLOW_HOOKS_PROFILE')
    .option('--json', 'print JSON, one value on each line')
    .addHelpText('after', '\nWith EVENTSTOREDB_URL and MONGODB_URL set, it works on those stores, as the service does.')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the store or the service cannot be used.',
    )
    .configureOutput({
      outputError: (text, write) =>
        write(errorLine({ code: 'usage', message: text.replace(/^error: /, '').trimEnd() }, json)),
    })
    .configureHelp({ optionDescription })
    .showHelpAfterError(json ? false : '(add --help for usage)')
    .exitOverride();

  for (const command of [
    serveCommand(),
    taskCommands(),
    flowCommands(),
    typeCommands(),
    listenerCommands(),
    operationCommands(),
    organisationCommands(),
    clientCommands(),
    apiKeyCommands(),
    consentCommands(),
    deliveryCommands(),
    auditCommands(),
    projectionCommands(),
    replayCommands(),
    keyCommands(),
    sessionCommands(),
    importCommands(),
    storeCommands(),
    listenCommand(),
    portalCommands(),
    ...connectionCommands(),
    completionCommand(),
  ]) {
    program.addCommand(inheriting(command, program));
  }
  return program;
}

/** The service itself, as `npm start` starts it. */
const serveCommand = (): Command =>
  new Command('serve')
    .description('starts the service, with the settings of the environment, and stops it on SIGTERM or SIGINT')
    .action(
      action(() => {
        restartWithBoundedMemory();
        return import('./serve.js');
      }, 'serveFromCommandLine'),
    );

const listenCommand = (): Command =>
  new Command('listen')
    .description(
      'runs a listener that prints each request, and whether its signature is valid; with --forward-to, gets the flow events of an ' +
        'organisation from a service and forwards them to an address of this machine, which needs no public address',
    )
    .option('--port <port>', 'the port to listen on; 0 for any free port', '4000')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option(
      '--secret <whsec>',
      'the signing secret in the answer to subscribe; without it, derived as the service does. With --forward-to, the one to sign with',
    )
    .option('--status <code>', 'the status to answer', '200')
    .option('--forward-to <url>', 'posts flow events here, such as http://localhost:3001/hook; not for production')
    .addOption(organisationOption('the organisation whose flow events are forwarded; without it, the only one'))
    .option('--type <type>', 'only flow events of this type; order.* for all below it; without it, all')
    .action(action(() => import('./listen/listen.js'), 'listen'));

const completionCommand = (): Command =>
  new Command('completion')
    .description('prints the completion of commands and options for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nbash: source <(flow-hooks completion bash)')
    .addHelpText('after', 'zsh: source <(flow-hooks completion zsh)')
    .addHelpText('after', 'fish: flow-hooks completion fish | source')
    .action(action(() => import('./completion/completion.js'), 'completion'));

/** Refuses an empty directory: `--data-dir "$UNSET"` would mean the current one. */
function nonEmpty(directory: string): string {
  if (directory.trim() === '') throw new UsageError('--data-dir must name a directory');
  return directory;
}

/** Marks required options in help. */
function optionDescription(this: Help, option: Option): string {
  const described = Help.prototype.optionDescription.call(this, option);
  return option.mandatory ? `${described} (required)` : described;
}

/** Applies the program's settings for exits and errors to all subcommands. */
function inheriting(command: Command, program: Command): Command {
  command.copyInheritedSettings(program);
  for (const subcommand of command.commands) inheriting(subcommand, program);
  return command;
}
