import type { Command } from 'commander';
import type { Subject } from '../route-command.js';

const imports = () => import('../import/actions.js');

const reading = (command: Command): Command =>
  command.argument('<file>', 'a JSON object on each line').option('--dry-run', 'checks all lines, and imports nothing');

export function addCommands({ addByHand }: Subject): void {
  reading(
    addByHand(
      'listeners',
      'registers listeners: orgId, userId, hookUrl, subscriptionType; optional: filter, transform, ordered, ratePerSecond, ' +
        'description, signedWithKeyPair, registeredAt. Known listeners are left as they are, and removed ones stay removed',
      imports,
      'listeners',
    ),
  ).option(
    '--secrets-to <file>',
    'writes the signing secrets and public keys of the listeners of all lines to this file (mode 600)',
  );
  reading(
    addByHand(
      'sessions',
      'begins sessions, which the refresh tokens of the other system continue: orgId, userId, refreshTokenSha256 (of the token, ' +
        'hexadecimal or base64url); optional: clientId, scopes, issuedAt',
      imports,
      'sessions',
    ),
  );
}
