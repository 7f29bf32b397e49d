import { Command } from 'commander';
import { action } from '../action.js';
import { organisationOption } from '../options.js';

const actions = () => import('./actions.js');

export function taskCommands(): Command {
  const tasks = new Command('tasks').description('integration tasks, which new listeners need');
  const add = (name: string, description: string) =>
    tasks
      .command(name)
      .description(description)
      .addOption(organisationOption('the organisation’s own task; without it, the service-wide default'));

  add('register', 'registers a task, inactive at first')
    .option('--name <name>', 'a name for display', 'default')
    .action(action(actions, 'register'));
  add('activate', 'allows new listeners').action(action(actions, 'activate'));
  add('deactivate', 'refuses new listeners; deliveries to existing listeners go on')
    .option('--reason <text>', 'the reason, recorded in the history')
    .action(action(actions, 'deactivate'));
  add('show', 'shows the task in effect').action(action(actions, 'show'));
  return tasks;
}
