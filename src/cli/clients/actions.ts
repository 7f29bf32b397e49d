import { maxOverlapHours } from '../../access/clients/contract.js';
import {
  changeClientRoute,
  endPreviousClientSecretRoute,
  listClientsRoute,
  registerClientRoute,
  removeClientRoute,
  rotateClientSecretRoute,
} from '../../admin/api/contracts/clients.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { printResult, printRows } from '../output.js';

export async function add(options: { public?: true }, { output, call }: CommandContext): Promise<void> {
  const type = options.public ? 'public' : 'confidential';
  const client = await call(registerClientRoute, { ...options, type });
  const secret = client.clientSecret;
  const what = secret === undefined ? 'it is public, without a secret' : `its secret, not shown again: ${secret}`;
  printResult(output, client, `${client.clientId} is registered; ${what}`);
}

export async function list(_: object, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listClientsRoute),
    {
      client: 'clientId',
      name: 'name',
      type: 'type',
      scopes: ({ scopes }) => scopes.join(' '),
      secrets: ({ secrets }) =>
        secrets.map(({ createdAt, until }) => `of ${createdAt}${until === null ? '' : ` until ${until}`}`).join(', '),
      'redirect URIs': ({ redirectUris }) => redirectUris.join(' '),
    },
    'no client is registered: /access and /refresh accept requests without credentials',
  );
}

export async function change(clientId: string, options: object, { output, call }: CommandContext): Promise<void> {
  if (Object.keys(options).length === 0) throw new UsageError('give what to change: --name, --redirect-uri or --scope');
  const client = await call(changeClientRoute, { ...options, clientId });
  const what = client.changed.length > 0 ? 'is changed' : 'has these properties already: nothing changed';
  printResult(output, client, `${client.clientId} ${what}`);
}

export async function rotateSecret(
  clientId: string,
  { overlapHours: hours, ...options }: { overlapHours?: string; discardNewest?: true },
  { output, call }: CommandContext,
): Promise<void> {
  const overlapHours = hours === undefined ? undefined : wholeNumber('--overlap-hours', hours, 0, maxOverlapHours);
  const client = await call(rotateClientSecretRoute, { ...options, overlapHours, clientId });
  const [, previous] = client.secrets;
  const until = previous?.until === null ? 'it is ended' : previous?.until;
  const overlap = previous ? `; the previous one is valid until ${until}` : '';
  printResult(output, client, `${client.clientId} has a new secret, not shown again: ${client.clientSecret}${overlap}`);
}

export async function endPreviousSecret(clientId: string, _: object, { output, call }: CommandContext): Promise<void> {
  const client = await call(endPreviousClientSecretRoute, { clientId });
  const what = client.changed.length > 0 ? 'has only its newest secret now' : 'has no previous secret: nothing changed';
  printResult(output, client, `${client.clientId} ${what}`);
}

export async function remove(clientId: string, _: object, { output, call }: CommandContext): Promise<void> {
  const removed = await call(removeClientRoute, { clientId });
  printResult(output, removed, `${removed.clientId} is removed`);
}
