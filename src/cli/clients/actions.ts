import { changeClientRequest, maxOverlapHours, registerClientRequest } from '../../access/clients/contract.js';
import {
  clientSummary,
  listClients,
  type OperateClient,
  type OperatedClient,
  operateClient,
  operatedClientSummary,
} from '../../access/clients/operate-clients.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { printResult, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';

export async function add(options: { readonly public?: true }, context: CommandContext): Promise<void> {
  const type = options.public ? 'public' : 'confidential';
  const request = parseOptions(registerClientRequest, { ...options, type });
  await operate(context, { change: 'register', ...request }, ({ clientSecret }) =>
    clientSecret === undefined
      ? 'is registered; it is public, without a secret'
      : `is registered; its secret, not shown again: ${clientSecret}`,
  );
}

export async function list(_: object, { output, withEventStore }: CommandContext): Promise<void> {
  const clients = await withEventStore(listClients);
  const now = new Date();
  printRows(
    output,
    clients.map((client) => clientSummary(client, now)),
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

export async function change(clientId: string, options: object, context: CommandContext): Promise<void> {
  const request = parseOptions(changeClientRequest, options);
  if (Object.values(request).every((value) => value === undefined)) {
    throw new UsageError('give what to change: --name, --redirect-uri or --scope');
  }
  await operate(context, { change: 'change', clientId, ...request }, ({ changed }) =>
    changed.length > 0 ? 'is changed' : 'has these properties already: nothing changed',
  );
}

type RotateOptions = { readonly overlapHours?: string; readonly discardNewest?: true };

export async function rotateSecret(clientId: string, options: RotateOptions, context: CommandContext): Promise<void> {
  const { overlapHours: hours, discardNewest = false } = options;
  const overlapHours = hours === undefined ? null : wholeNumber('--overlap-hours', hours, 0, maxOverlapHours);
  const wanted = { change: 'rotate-secret', clientId, overlapHours, discardNewest } as const;
  await operate(context, wanted, ({ client, clientSecret }) => {
    const [, previous] = client?.secrets ?? [];
    const until = previous?.until === null ? 'it is ended' : previous?.until;
    const overlap = previous ? `; the previous one is valid until ${until}` : '';
    return `has a new secret, not shown again: ${clientSecret}${overlap}`;
  });
}

export const endPreviousSecret = (clientId: string, _: object, context: CommandContext): Promise<void> =>
  operate(context, { change: 'end-previous-secret', clientId }, ({ changed }) =>
    changed.length > 0 ? 'has only its newest secret now' : 'has no previous secret: nothing changed',
  );

export const remove = (clientId: string, _: object, context: CommandContext): Promise<void> =>
  operate(context, { change: 'remove', clientId }, () => 'is removed');

async function operate(
  { output, withEventStore, causeNow }: CommandContext,
  wanted: OperateClient,
  sentence: (operated: OperatedClient) => string,
): Promise<void> {
  const at = causeNow();
  const operated = await withEventStore((store) => operateClient(store, wanted, at));
  printResult(output, operatedClientSummary(operated, at.now), `${operated.clientId} ${sentence(operated)}`);
}
