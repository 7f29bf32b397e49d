import type { Command } from 'commander';
import { subject } from '../action.js';
import { organisationOption } from '../options.js';

const actions = () => import('./actions.js');

export function taskCommands(): Command {
  const { commands, add } = subject('tasks', 'integration tasks, which new listeners need');
  const ofOrganisation = (command: Command) =>
    command.addOption(organisationOption('the organisation’s own task; without it, the service-wide default'));

  ofOrganisation(add(actions, 'register', 'registers a task, inactive at first')).option(
    '--name <name>',
    'a name for display',
    'default',
  );
  ofOrganisation(add(actions, 'activate', 'allows new listeners'));
  ofOrganisation(add(actions, 'deactivate', 'refuses new listeners; deliveries to existing listeners continue')).option(
    '--reason <text>',
    'the reason, recorded in the history',
  );
  ofOrganisation(add(actions, 'show', 'shows the task in effect'));
  return commands;
}
