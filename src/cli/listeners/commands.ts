import { Command, Option } from 'commander';
import { overlapHours } from '../../registrations/listeners/overlap-hours.js';
import { lazily } from '../lazily.js';
import { listenerArgument, requiredOrganisation, wholeNumber } from '../options.js';

/** `listeners list|pause|resume|rotate-secret|unsubscribe|test`: the registered hooks, and decisions about them. */
export function listenerCommands(): Command {
  const listeners = new Command('listeners').description('registered hooks');
  const addForOne = (name: string, description: string) =>
    listeners.command(name).description(description).addArgument(listenerArgument());

  listeners
    .command('list')
    .description(
      'lists the hooks that an organisation has registered now, from the view that a running service keeps up to date',
    )
    .addOption(requiredOrganisation())
    .action(lazily(async () => (await import('./list.js')).list));
  addForOne('pause', 'keeps a registration but delivers nothing to it: what happens meanwhile is held').action(
    lazily(async () => (await import('./pause.js')).pause),
  );
  addForOne('resume', 'delivers to a paused hook again; what is held stays so unless it is told otherwise')
    .option('--redeliver-held', 'delivers what is held too')
    .action(lazily(async () => (await import('./resume.js')).resume));
  addForOne('rotate-secret', 'gives a hook its next signing secret, and prints it')
    .addOption(
      new Option(
        '--overlap-hours <number>',
        'for so long deliveries are signed with the secret before too; 0 revokes it',
      )
        .default(overlapHours.default)
        .argParser((text) => wholeNumber('--overlap-hours', text, 0, overlapHours.max)),
    )
    .option('--replaces <version>', 'changes nothing where this version of the secret has been replaced already')
    .action(lazily(async () => (await import('./rotate-secret.js')).rotateSecret));
  addForOne('unsubscribe', 'removes a hook: no delivery to it starts any more').action(
    lazily(async () => (await import('./unsubscribe.js')).unsubscribe),
  );
  addForOne(
    'test',
    'has a running service send a hook a sample of what it is subscribed to, and says what came of it',
  ).action(lazily(async () => (await import('./test.js')).test));
  return listeners;
}
