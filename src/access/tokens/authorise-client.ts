import type { Client, ClientScope } from '../clients/client.js';
import { InvalidGrant, InvalidScope } from '../oauth-errors.js';
import type { SignedIn } from '../sign-in/code-verification.js';

/** A verified code, presented by an authenticated client. */
export type PresentedCode = {
  readonly client: Client;
  readonly code: Pick<SignedIn, 'clientId' | 'redirectUri' | 'scope' | 'hadChallenge'>;
  /** `redirect_uri` of the request; undefined: it has none. */
  readonly redirectUri: string | undefined;
};

/**
 * The scopes that a client gets for a code: those that the code asks for and the client may have, or all of the client's if the
 * code asks for none. Throws `InvalidGrant` unless the code was issued to this client, for one of its redirect URIs and for
 * that of the request (RFC 6749 §4.1.3), and with a challenge if the client is public (RFC 9700 §2.1.1). Throws `InvalidScope`
 * if the client may have none of the scopes.
 */
export function authoriseClient({ client, code, redirectUri }: PresentedCode): ClientScope[] {
  if (code.clientId === undefined)
    throw new InvalidGrant('the code names no client: its login page has to set client_id');
  if (code.clientId !== client.clientId) throw new InvalidGrant('the code was issued to another client');
  if (code.redirectUri === undefined) {
    throw new InvalidGrant('the code names no redirect URI: its login page has to set redirect_uri');
  }
  if (!client.redirectUris.includes(code.redirectUri)) {
    throw new InvalidGrant('the redirect URI of the code is not one of the client');
  }
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    throw new InvalidGrant('the redirect_uri differs from the one of the code');
  }
  if (client.type === 'public' && !code.hadChallenge) {
    throw new InvalidGrant('a code of a public client needs a code_challenge (S256)');
  }
  const requested = code.scope?.split(' ').filter((each) => each !== '') ?? [];
  const granted = requested.length === 0 ? client.scopes : client.scopes.filter((each) => requested.includes(each));
  if (granted.length === 0) throw new InvalidScope('the client may have none of the scopes that the code asks for');
  return [...granted];
}
