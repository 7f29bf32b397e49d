import type { Command } from 'commander';
import { registerClientRequest } from '../../access/clients/contract.js';
import { operateClient, operatedClientSummary } from '../../access/clients/operate-clients.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = {
  readonly name: string;
  readonly redirectUri: readonly string[];
  readonly id?: string;
  readonly scope: readonly string[];
  readonly public?: true;
};

/** `clients add`: registers a client, and prints its secret. */
export async function add(options: Options, command: Command): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const { name, id: clientId, redirectUri: redirectUris, scope: scopes } = options;
  const type = options.public ? 'public' : 'confidential';
  const request = parseOptions(registerClientRequest, { name, clientId, redirectUris, scopes, type });
  const now = new Date();
  const registered = await withStores(async (stores) =>
    operateClient(await stores.events(), { change: 'register', ...request }, { cause, now }),
  );
  const { clientSecret } = registered;
  const secret =
    clientSecret === undefined ? 'it is public, without a secret' : `its secret, not shown again: ${clientSecret}`;
  printResult(output, operatedClientSummary(registered, now), `${registered.clientId} is registered; ${secret}`);
}
