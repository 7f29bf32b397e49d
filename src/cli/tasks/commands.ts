import { Command } from 'commander';
import { lazily } from '../lazily.js';
import { organisationOption } from '../options.js';

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
    .action(lazily(async () => (await import('./change.js')).register));
  add('activate', 'lets a registered task take registrations').action(
    lazily(async () => (await import('./change.js')).activate),
  );
  add('deactivate', 'refuses new registrations; deliveries to existing hooks go on')
    .option('--reason <text>', 'for people who read the history')
    .action(lazily(async () => (await import('./change.js')).deactivate));
  add('show', 'shows the task that holds').action(lazily(async () => (await import('./show.js')).show));
  return tasks;
}
