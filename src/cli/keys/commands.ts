import { Argument, type Command } from 'commander';
import { subject } from '../action.js';

const actions = () => import('./actions.js');

export function keyCommands(): Command {
  const { commands, add } = subject(
    'keys',
    'signing keys, which sign access tokens, and master keys, from which secrets of listeners and sessions are derived; it needs ' +
      'SIGNING_KEYS and MASTER_KEYS as the service has them',
  );
  const kind = () => new Argument('<kind>', 'the kind of key').choices(['signing', 'master']);

  add(actions, 'list', 'lists the keys here and on record, without key material');
  add(
    actions,
    'rotate',
    'adds a new key to the file of these keys; a running service reads it within seconds, and publishes a new signing ' +
      'key at once, before it signs',
  )
    .addArgument(kind())
    .option(
      '--after <duration>',
      'time after which it is used, 10s to 30d; longer than verifiers and instances take to know it',
      '15m',
    )
    .option('--print', 'prints the key, for a setting or file that cannot be changed here, and changes nothing');
  add(
    actions,
    'retire',
    'removes a key that is no longer needed: a signing key when its access tokens have expired, a master key when no ' +
      'active listener or session has a secret from it; lists those that have one',
  )
    .addArgument(kind())
    .argument('<key>', 'the thumbprint or kid of a signing key, the generation of a master key')
    .allowUnknownOption(); // one thumbprint of 64 begins with a hyphen
  return commands;
}
