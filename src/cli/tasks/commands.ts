import { Command } from 'commander';
import { type ChangeIntegrationTask, changeIntegrationTask } from '../../integration-tasks/change-integration-task.js';
import type { IntegrationTaskEvent } from '../../integration-tasks/events.js';
import type { IntegrationTask } from '../../integration-tasks/integration-task.js';
import { taskOf } from '../../integration-tasks/required-task.js';
import { type CommandContext, contextOf } from '../command-context.js';
import { organisationOption } from '../options.js';
import { printResult } from '../output.js';

type Options = { readonly org?: string; readonly name?: string; readonly reason?: string };

/** `tasks register|activate|deactivate|show`: without `--org`, of the service-wide default. */
export function taskCommands(): Command {
  const tasks = new Command('tasks').description('integration tasks: what new registrations hang on');
  const add = (name: string, description: string) =>
    tasks
      .command(name)
      .description(description)
      .addOption(organisationOption('the organisation’s own task; without it, the service-wide default'));

  add('register', 'registers a task, inactive at first')
    .option('--name <name>', 'a name for people', 'default')
    .action(changing(({ name }) => ({ change: 'register', name })));
  add('activate', 'lets a registered task take registrations').action(changing(() => ({ change: 'activate' })));
  add('deactivate', 'refuses new registrations; deliveries to existing hooks go on')
    .option('--reason <text>', 'for people who read the history')
    .action(changing(({ reason }) => ({ change: 'deactivate', reason })));
  add('show', 'shows the task that holds').action(async (options: Options, command: Command) => {
    const context = contextOf(command);
    const task = await context.withStores((stores) => taskOf(stores.events(), options.org ?? null));
    print(context, options, task, []);
  });
  return tasks;
}

type Change<Command = ChangeIntegrationTask> = Command extends unknown ? Omit<Command, 'orgId'> : never;

const changing = (changeOf: (options: Options) => Change) => async (options: Options, command: Command) => {
  const context = contextOf(command);
  const wanted = { ...changeOf(options), orgId: options.org ?? null };
  const { state, events } = await context.withStores((stores) =>
    changeIntegrationTask(stores.events(), wanted, { cause: context.cause, now: new Date() }),
  );
  print(context, options, state, events);
};

function print(
  { output }: CommandContext,
  { org }: Options,
  task: IntegrationTask,
  events: readonly IntegrationTaskEvent[],
): void {
  const whose = org === undefined ? 'the default task' : `the task of ${org}`;
  const inherited = task.state !== 'missing' && org !== undefined && task.orgId === null ? ' (the default one)' : '';
  const what = task.state === 'missing' ? 'is not registered' : `is ${task.state}${inherited}`;
  printResult(output, { ...task, changed: events.map(({ type }) => type) }, `${whose} ${what}`);
}
