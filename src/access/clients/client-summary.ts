import type { Client } from './client.js';
import { isValidAt } from './client-secret.js';
import type { OperatedClient } from './operate-clients.js';

/** A client as operators see it: never a secret, nor the hash of one. */
export const clientSummary = (client: Client, now: Date) => {
  const { clientId, name, type, redirectUris, scopes, registeredAt } = client;
  const secrets = client.secrets
    .filter((each) => isValidAt(each, now))
    .map(({ createdAt, until }) => ({ createdAt, until }));
  return { clientId, name, type, redirectUris, scopes, registeredAt, secrets };
};

/** A client after a change. `clientSecret` is shown here only, where one was generated. */
export const changedClientSummary = (
  client: Client,
  { clientSecret, changed }: Pick<OperatedClient, 'clientSecret' | 'changed'>,
  now: Date,
) => ({ ...clientSummary(client, now), ...(clientSecret !== undefined && { clientSecret }), changed });

/** The answer to a change: of a client that was removed only its ID. */
export const operatedClientSummary = ({ clientId, client, ...operated }: OperatedClient, now: Date) =>
  client ? changedClientSummary(client, operated, now) : { clientId, changed: operated.changed };
