import type { Command } from 'commander';
import { changeClientRequest, maxOverlapHours } from '../../access/clients/contract.js';
import {
  type OperateClient,
  type OperatedClient,
  operateClient,
  operatedClientSummary,
} from '../../access/clients/operate-clients.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type ChangeOptions = {
  readonly name?: string;
  readonly redirectUri?: readonly string[];
  readonly scope?: readonly string[];
};

/** `clients change`. */
export async function change(clientId: string, options: ChangeOptions, command: Command): Promise<void> {
  const { name, redirectUri: redirectUris, scope: scopes } = options;
  if ((name ?? redirectUris ?? scopes) === undefined) {
    throw new UsageError('give what to change: --name, --redirect-uri or --scope');
  }
  const request = parseOptions(changeClientRequest, { name, redirectUris, scopes });
  await operate(command, { change: 'change', clientId, ...request }, ({ changed }) =>
    changed.length > 0 ? 'is changed' : 'has these properties already: nothing changed',
  );
}

type RotateOptions = { readonly overlapHours?: string; readonly discardNewest?: true };

/** `clients rotate-secret`: prints the new secret. */
export async function rotateSecret(clientId: string, options: RotateOptions, command: Command): Promise<void> {
  const { overlapHours: hours, discardNewest = false } = options;
  const overlapHours = hours === undefined ? null : wholeNumber('--overlap-hours', hours, 0, maxOverlapHours);
  await operate(
    command,
    { change: 'rotate-secret', clientId, overlapHours, discardNewest },
    ({ client, clientSecret }) => {
      const [, previous] = client?.secrets ?? [];
      const overlap =
        previous &&
        `; the previous one is valid ${previous.until === null ? 'until it is ended' : `until ${previous.until}`}`;
      return `has a new secret, not shown again: ${clientSecret}${overlap ?? ''}`;
    },
  );
}

/** `clients end-previous-secret`. */
export const endPreviousSecret = (clientId: string, _: object, command: Command): Promise<void> =>
  operate(command, { change: 'end-previous-secret', clientId }, ({ changed }) =>
    changed.length > 0 ? 'has only its newest secret now' : 'has no previous secret: nothing changed',
  );

/** `clients remove`. */
export const remove = (clientId: string, _: object, command: Command): Promise<void> =>
  operate(command, { change: 'remove', clientId }, () => 'is removed');

async function operate(
  command: Command,
  wanted: OperateClient,
  sentence: (operated: OperatedClient) => string,
): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const now = new Date();
  const operated = await withStores(async (stores) => operateClient(await stores.events(), wanted, { cause, now }));
  printResult(output, operatedClientSummary(operated, now), `${operated.clientId} ${sentence(operated)}`);
}
