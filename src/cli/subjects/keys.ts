import { Argument } from 'commander';
import { listKeysRoute } from '../../admin/api/contracts/service.js';
import type { Subject } from '../route-command.js';

const operations = () => import('../keys/actions.js');
const kind = () => new Argument('<kind>', 'the kind of key').choices(['signing', 'master']);

export function addCommands({ add, addByHand }: Subject): void {
  add('list', listKeysRoute, {
    about: 'lists the keys here and on record, without key material',
    columns: { kind: 'kind', key: 'id', kid: ({ id, kid }) => (kid === id ? '' : kid), state: 'state', from: 'from' },
    none: 'there are no keys',
  });
  addByHand(
    'rotate',
    'adds a new key to the file of these keys; a running service reads it within seconds, and publishes a new signing ' +
      'key at once, before it signs',
    operations,
    'rotate',
  )
    .addArgument(kind())
    .option(
      '--after <duration>',
      'time after which it is used, 10s to 30d; longer than verifiers and instances take to know it',
      '15m',
    )
    .option('--print', 'prints the key, for a setting or file that cannot be changed here, and changes nothing');
  addByHand(
    'retire',
    'removes a key that is no longer needed: a signing key when its access tokens have expired, a master key when no ' +
      'active listener or session has a secret from it; lists those that have one',
    operations,
    'retire',
  )
    .addArgument(kind())
    .argument('<key>', 'the thumbprint or kid of a signing key, the generation of a master key')
    .allowUnknownOption(); // one thumbprint of 64 begins with a hyphen
}
