import { randomUUID } from 'node:crypto';
import { type Client, type ClientEvent, clientsStream } from '../../events/client-events.js';
import type { WarningLog } from '../../kernel/log.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, load } from '../../stores/event-store/handle.js';
import { hashOfSecret } from '../secret-hash.js';
import { type Clients, clientsDecider, generateClientSecret, isValidAt } from './client.js';
import {
  type ChangeClient,
  changeClient,
  endPreviousSecret,
  type RegisterClient,
  type RotateClientSecret,
  registerClient,
  removeClient,
  rotateClientSecret,
} from './client-commands.js';

type RegisterNamedClient = Pick<RegisterClient, 'name' | 'redirectUris' | 'scopes'> & {
  change: 'register';
  /** Undefined: generated. */
  clientId?: string;
  type: Client['type'];
};

export type OperateClient =
  | RegisterNamedClient
  | ({ change: 'change' } & ChangeClient)
  | ({ change: 'rotate-secret'; overlapHours: number | null } & Pick<RotateClientSecret, 'clientId' | 'discardNewest'>)
  | { change: 'end-previous-secret' | 'remove'; clientId: string };

export type OperatedClient = {
  clientId: string;
  /** Undefined: it was removed. */
  client: Client | undefined;
  /** Recorded nowhere; undefined where none was generated. */
  clientSecret: string | undefined;
  changed: readonly ClientEvent['type'][];
};

const hourMs = 3_600_000;

export async function operateClient(
  store: EventStore,
  command: OperateClient,
  context: { cause: Cause; now: Date },
): Promise<OperatedClient> {
  const clientId = command.clientId ?? randomUUID();
  const secret = generateClientSecret();
  const decide = decisionOf({ ...command, clientId }, hashOfSecret(secret), context.now);
  const { state, events } = await handle(store, clientsStream, clientsDecider, decide, context);
  return {
    clientId,
    client: state.find((each) => each.clientId === clientId),
    clientSecret: hasNewSecret(command) ? secret : undefined,
    changed: events.map(({ type }) => type),
  };
}

export const listClients = async (store: EventStore): Promise<Clients> =>
  (await load(store, clientsStream, clientsDecider)).state;

const hasNewSecret = (command: OperateClient): boolean =>
  command.change === 'rotate-secret' || (command.change === 'register' && command.type === 'confidential');

type Decision = (clients: Clients) => readonly ClientEvent[];

const decisionOf =
  (command: OperateClient & { clientId: string }, secretHash: string, now: Date): Decision =>
  (clients) => {
    switch (command.change) {
      case 'register':
        return registerClient({ ...command, secretHash: command.type === 'public' ? null : secretHash, now }, clients);
      case 'change':
        return changeClient(command, clients);
      case 'rotate-secret': {
        const overlapMs = command.overlapHours === null ? null : command.overlapHours * hourMs;
        return rotateClientSecret({ ...command, secretHash, overlapMs, now }, clients);
      }
      case 'end-previous-secret':
        return endPreviousSecret({ ...command, now }, clients);
      case 'remove':
        return removeClient(command, clients);
    }
  };

/** Contains neither secrets nor their hashes. */
export const clientSummary = (client: Client, now: Date) => {
  const { clientId, name, type, redirectUris, scopes, registeredAt } = client;
  const secrets = client.secrets
    .filter((each) => isValidAt(each, now))
    .map(({ createdAt, until }) => ({ createdAt, until }));
  return { clientId, name, type, redirectUris, scopes, registeredAt, secrets };
};

export const changedClientSummary = (
  client: Client,
  { clientSecret, changed }: Pick<OperatedClient, 'clientSecret' | 'changed'>,
  now: Date,
) => ({ ...clientSummary(client, now), clientSecret, changed });

/** Warns that, without registered clients, every caller with a code or a refresh token may exchange it. */
export async function warnWithoutClients(store: EventStore, log: WarningLog): Promise<void> {
  if ((await listClients(store)).length > 0) return;
  log.warn(
    '/access and /refresh accept requests without client credentials, because no client is registered: register each ' +
      'platform with flow-hooks clients add',
  );
}
