import type { Command } from 'commander';
import { subject } from '../action.js';

const actions = () => import('./actions.js');

export function clientCommands(): Command {
  const { commands, add } = subject(
    'clients',
    'registered clients: the platforms that may exchange codes and refresh tokens; a running service follows each change ' +
      'within half a second',
  );
  const ofOne = (command: Command) => command.argument('<client>', 'the ID of the client');

  add(
    actions,
    'add',
    'registers a client, and prints its secret; from the first one on, every client has to authenticate',
  )
    .requiredOption('--name <name>', 'a name for operators, and for users who are asked for consent')
    .requiredOption('--redirect-uri <url...>', 'where its users return after sign-in: exact URLs, https or loopback')
    .option('--id <id>', 'its ID; without it, one is generated')
    .option('--scope <scope...>', 'what its tokens allow: listeners, flows:publish', ['listeners'])
    .option('--public', 'without a secret: it proves possession of each code with PKCE (S256)');
  add(actions, 'list', 'lists the registered clients');
  ofOne(add(actions, 'change', 'changes the given properties of a client'))
    .option('--name <name>', 'its name')
    .option('--redirect-uri <url...>', 'all its redirect URIs')
    .option('--scope <scope...>', 'all its scopes; one that is taken away is refused at once');
  ofOne(
    add(
      actions,
      'rotate-secret',
      'gives a client a new secret, and prints it; the previous one stays valid until it is ended',
    ),
  )
    .option(
      '--overlap-hours <number>',
      'time after which the previous secret is refused; 0 ends all earlier ones at once',
    )
    .option('--discard-newest', 'the newest secret was lost before its use: replaces it, and keeps the one in use');
  ofOne(add(actions, 'end-previous-secret', 'refuses the previous secret of a client from now on'));
  ofOne(add(actions, 'remove', 'removes a client: its credentials and tokens are refused from now on'));
  return commands;
}
