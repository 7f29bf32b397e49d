import type { Client } from '../../events/client-events.js';
import { allowsRedirect } from '../clients/client.js';
import type { RegisteredClients } from '../clients/client-registry.js';
import { SignInRefused } from '../errors.js';

export type TrustedClient = {
  client: Client;
  redirectUri: string;
  state?: string;
};

/**
 * Finds the client and redirect URI of a request. Before they are known to belong together nothing may be redirected (RFC 6749
 * §4.1.2.1): throws `SignInRefused`, whose message users pass on to an operator.
 */
export function trustedClient(query: URLSearchParams, clients: RegisteredClients): TrustedClient {
  if (clients.size === 0) {
    throw new SignInRefused(
      'no platform is registered as a client of this service yet: an operator does this with flow-hooks clients add',
    );
  }
  const clientId = onlyValue(query, 'client_id');
  const redirectUri = onlyValue(query, 'redirect_uri');
  const client = clients.get(clientId);
  if (!client) {
    throw new SignInRefused(
      'the client_id is not that of a registered platform: correct it there, or an operator of this service registers the platform ' +
        'with flow-hooks clients add',
    );
  }
  if (!allowsRedirect(client, redirectUri)) {
    throw new SignInRefused(
      `the redirect_uri is not registered for ${client.name}: an operator of this service sets it with flow-hooks clients change; it has ` +
        'to be the same character by character',
    );
  }
  const [state, ...more] = query.getAll('state');
  // Which of several states is the platform's cannot be said, so the error has none.
  return { client, redirectUri, ...(state !== undefined && more.length === 0 && { state }) };
}

function onlyValue(query: URLSearchParams, name: string): string {
  const [value, ...more] = query.getAll(name);
  if (!value || more.length > 0) throw new SignInRefused(`the parameter ${name} must be sent once`);
  return value;
}
