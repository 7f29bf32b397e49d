import { Command } from 'commander';
import { action } from '../action.js';

const actions = () => import('./actions.js');

/** `import listeners|sessions`: what users have on another system, so that they need not connect again. */
export function importCommands(): Command {
  const imports = new Command('import').description(
    'imports what users have on another system; a repeated or killed import continues where it stopped',
  );
  const reading = (command: Command) =>
    command
      .argument('<file>', 'a JSON object on each line')
      .option('--dry-run', 'checks all lines, and imports nothing');

  reading(imports.command('listeners'))
    .description(
      'registers listeners: orgId, userId, hookUrl, subscriptionType; optional: filter, transform, ordered, ratePerSecond, ' +
        'description, signedWithKeyPair, registeredAt. Known listeners are left as they are, and removed ones stay removed',
    )
    .option(
      '--secrets-to <file>',
      'writes the signing secrets and public keys of the listeners of all lines to this file (mode 600)',
    )
    .action(action(actions, 'listeners'));
  reading(imports.command('sessions'))
    .description(
      'begins sessions, which the refresh tokens of the other system continue: orgId, userId, refreshTokenSha256 (of the token, ' +
        'hexadecimal or base64url); optional: clientId, scopes, issuedAt',
    )
    .action(action(actions, 'sessions'));
  return imports;
}
