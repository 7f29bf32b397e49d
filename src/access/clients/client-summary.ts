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

/** The answer to a change. `clientSecret` is shown here only, where one was generated. */
export const operatedClientSummary = ({ clientId, client, clientSecret, changed }: OperatedClient, now: Date) => ({
  ...(client ? clientSummary(client, now) : { clientId }),
  ...(clientSecret !== undefined && { clientSecret }),
  changed,
});
