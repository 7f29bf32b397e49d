import { z } from 'zod';
import { clientScope } from '../../events/client-events.js';
import { textForPeople } from '../../kernel/input/texts.js';

// The limits keep all clients within the maximum size of an event.

/**
 * RFC 3986, without a fragment (RFC 6749 §3.1.2). Exactly two slashes, because URL parsers accept any number; with none, a browser
 * would take the URL for a path of this service.
 */
const uriCharacters = /^https?:\/\/(?!\/)[\w\-.~:/?[\]@!$&'()*+,;=%]+$/i;
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** https, or http to a loopback host (RFC 8252 §7.3). */
export function isRedirectUri(text: string): boolean {
  if (!uriCharacters.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && loopbackHosts.has(hostname));
}

const isDistinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

const maxRedirectUris = 10;
const maxRedirectUriLength = 1_024;
const maxRedirectUriCharacters = 3_000;

const redirectUri = z.string({ error: 'must be a string' }).max(maxRedirectUriLength).refine(isRedirectUri, {
  error: 'must be an https URL without a fragment (or http, to a loopback host)',
});

const clientIdParameter = z
  .string({ error: 'must be a string' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/, {
    error: 'must be 1 to 64 letters, digits and . _ ~ -, and begin with a letter or digit',
  })
  .describe('Permanent. Generated if none is given.');

const name = textForPeople(100);

export const redirectUris = z
  .array(redirectUri, { error: 'must be a list of URLs' })
  .min(1, { error: 'must contain at least one URL' })
  .max(maxRedirectUris)
  .refine(isDistinct, { error: 'must not repeat a URL' })
  .refine((uris) => uris.join('').length <= maxRedirectUriCharacters, {
    error: `must have at most ${maxRedirectUriCharacters} characters together`,
  });

const scopes = z
  .array(clientScope, { error: 'must be a list of scopes' })
  .min(1, { error: 'must contain at least one scope' })
  .refine(isDistinct, { error: 'must not repeat a scope' });

export const registerClientRequest = {
  clientId: clientIdParameter.optional(),
  name,
  type: z.enum(['confidential', 'public']).default('confidential'),
  redirectUris,
  scopes: scopes.default(['listeners']),
};

export const changeClientRequest = {
  name: name.optional(),
  redirectUris: redirectUris.optional(),
  scopes: scopes.optional(),
};

/** Limit for secrets with an end; others stay valid until they are ended. */
const maxOverlapHours = 30 * 24;
const hours = { error: `must be a whole number from 0 to ${maxOverlapHours}, or null` };

export const rotateClientSecretRequest = {
  /** Null: until the previous secret is ended. */
  overlapHours: z.int(hours).min(0, hours).max(maxOverlapHours, hours).nullable().default(null),
  discardNewest: z.boolean().default(false),
};
