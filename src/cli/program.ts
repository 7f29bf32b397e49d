import { Argument, Command, Help, type Option } from 'commander';
import { restartWithBoundedMemory } from '../kernel/bounded-memory.js';
import { version } from '../kernel/version.js';
import { dataDirectoryGiven } from '../service/config/settings.js';
import { action } from './action.js';
import { errorLine, UsageError } from './failure.js';
import type { Subject } from './route-command.js';

type SubjectModule = { addCommands: (subject: Subject) => void };

/** Subjects with their descriptions. Their commands are loaded with the routes that they call. */
const subjects: Readonly<Record<string, readonly [about: string, load: () => Promise<SubjectModule>]>> = {
  tasks: ['integration tasks, which new listeners need', () => import('./subjects/tasks.js')],
  flows: ['flow events', () => import('./subjects/flows.js')],
  types: [
    'declared types of flow events: the catalogue for platforms, and the schemas that published events are checked against',
    () => import('./subjects/types.js'),
  ],
  listeners: ['registered listeners', () => import('./subjects/listeners.js')],
  operations: [
    'operational events: what the service tells its operators, of the organisation flow-hooks.operations',
    () => import('./subjects/operations.js'),
  ],
  orgs: ['organisations', () => import('./subjects/orgs.js')],
  clients: [
    'registered clients: the platforms that may exchange codes and refresh tokens; a running service follows each change ' +
      'within half a second',
    () => import('./subjects/clients.js'),
  ],
  'api-keys': ['API keys of producers', () => import('./subjects/api-keys.js')],
  consents: ['consents of users to clients that act for them', () => import('./subjects/consents.js')],
  deliveries: ['deliveries to listeners, and their attempts', () => import('./subjects/deliveries.js')],
  audit: ['the history of listeners: changes, times and actors', () => import('./subjects/audit.js')],
  views: ['the views built from events', () => import('./subjects/views.js')],
  replays: ['past flow events, sent to one listener', () => import('./subjects/replays.js')],
  keys: [
    'signing keys, which sign access tokens, and master keys, from which secrets of listeners and sessions are derived; it needs ' +
      'SIGNING_KEYS and MASTER_KEYS as the service has them',
    () => import('./subjects/keys.js'),
  ],
  sessions: ['sessions of users: what their tokens belong to', () => import('./subjects/sessions.js')],
  import: [
    'imports what users have on another system; a repeated or killed import continues where it stopped',
    () => import('./subjects/import.js'),
  ],
  store: ['the stores as a whole', () => import('./subjects/store.js')],
  portal: ['the portal, in which an organisation sees its own listeners', () => import('./subjects/portal.js')],
  profiles: ['services that login remembers', () => import('./subjects/profiles.js')],
};

/**
 * All commands of `flow-hooks` with their options. `environment`: contains the default of `--data-dir`. `json`: errors of usage are
 * printed as JSON. `args`: the command line; subjects that it does not name are without their commands.
 */
export async function flowHooks(
  environment: NodeJS.ProcessEnv,
  { json = false, args }: { json?: boolean; args?: readonly string[] } = {},
): Promise<Command> {
  const isNeeded = (name: string) => !args || args.includes(name) || args.includes('completion');
  const program = new Command('flow-hooks')
    .description(
      'Operates a Flow Hooks service: a remote one through its admin API, or that of this machine on its stores, running or not.',
    )
    .version(version)
    .option('--data-dir <directory>', 'the service’s data directory', nonEmpty, dataDirectoryGiven(environment))
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

  program.addCommand(serveCommand());
  for (const [name, [about, load]] of Object.entries(subjects)) {
    const command = program.command(name).description(about);
    if (!isNeeded(name)) continue;
    const { subject } = await import('./route-command.js');
    (await load()).addCommands(subject(command));
  }
  if (args?.includes('projections')) {
    // The name in 1.0.0.
    const former = program.command('projections [rest...]', { hidden: true }).allowUnknownOption();
    former.action(() => program.error('error: projections is called views now: flow-hooks views'));
  }
  for (const command of [listenCommand(), loginCommand(), logoutCommand(), completionCommand()])
    program.addCommand(command);
  for (const command of program.commands) inheriting(command, program);
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
    .option('--org <organisation>', 'the organisation whose flow events are forwarded; without it, the only one')
    .option('--type <type>', 'only flow events of this type; order.* for all below it; without it, all')
    .action(action(() => import('./listen/listen.js'), 'listen'));

const loginCommand = (): Command =>
  new Command('login')
    .description(
      'makes later commands work on a service: asks for an admin key, an API key or the token of an operator, which is kept in the user’s ' +
        'configuration (mode 600); without a terminal, it is read from standard input',
    )
    .argument('<url>', 'the address of the service, such as https://hooks.example.com')
    .addHelpText('after', '\n--profile gives the service a name; without it, the name is its host.')
    .action(action(() => import('./connection/login.js'), 'login'));

const logoutCommand = (): Command =>
  new Command('logout')
    .description('forgets the service and the key of the last login, or of --profile')
    .action(action(() => import('./connection/login.js'), 'logout'));

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
