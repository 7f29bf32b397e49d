import type { Command } from 'commander';
import { subject } from '../action.js';
import { requiredOrganisation } from '../options.js';

export function organisationCommands(): Command {
  const { commands, add } = subject('orgs', 'organisations');
  add(
    () => import('./settings.js'),
    'settings',
    'shows the defaults of an organisation’s new listeners and the check of its flow events, and changes what is given',
  )
    .addOption(requiredOrganisation())
    .option('--ordered', 'one delivery at a time, in the order of the flow events')
    .option('--no-ordered', 'several deliveries at a time, in no order')
    .option('--rate <number>', 'maximum number of deliveries a second, or none')
    .option('--event-types <check>', 'flow events that do not match their event type: off, warn, refuse');
  add(
    () => import('./erase.js'),
    'erase',
    'deletes all data of an organisation; run again, it completes an interrupted erasure',
  )
    .argument('<organisation>', 'its ID')
    .requiredOption('--yes <organisation>', 'its ID again: erased data cannot be restored');
  return commands;
}
