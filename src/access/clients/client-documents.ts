import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Client, clientScope } from '../../events/client-events.js';
import { textForPeople } from '../../kernel/input/texts.js';
import { ClientDocumentInvalid, ClientDocumentUnavailable } from '../errors.js';
import type { IssuerFetch } from '../issuer-fetch.js';
import { redirectUris } from './contract.js';

/** Clients that no operator has registered: the ID is the URL of a document that describes the client (OAuth Client ID Metadata Document). */
export type ClientDocuments = {
  /** The URL has the form of an ID, at a host that operators accept. */
  accepts: (clientId: string) => boolean;
  /** Throws `ClientDocumentInvalid` and `ClientDocumentUnavailable`. */
  find: (clientId: string) => Promise<Client>;
};

export const noDocuments: ClientDocuments = {
  accepts: () => false,
  find: async (clientId) => Promise.reject(new ClientDocumentInvalid(clientId, 'documents are not accepted')),
};

type ClientDocumentsOptions = {
  /** Follows no redirects, and bounds time and size. */
  fetch: IssuerFetch;
  isAcceptedHost: (host: string) => boolean;
  allowHttp: boolean;
  now: () => Date;
};

/** Limit of an answer: documents have less than a kilobyte. */
export const maxDocumentBytes = 16_384;
const maxIdLength = 256;
/** A change of a document is in force after this time. */
export const documentMemoryMs = 10 * 60_000;
const maxDocuments = 500;
/** Callers without credentials choose the documents. */
const maxFetches = 8;

const document = z.object({
  client_id: z.string(),
  client_name: textForPeople(100).optional(),
  redirect_uris: redirectUris,
  scope: z.string().max(1_024).optional(),
  token_endpoint_auth_method: z.literal('none', { error: 'must be none' }).optional(),
  grant_types: z.array(z.string()).optional(),
});

/** Registered IDs have no colon. */
export const isDocumentUrl = (clientId: string): boolean => clientId.includes('://');

export function clientDocuments({ fetch, isAcceptedHost, allowHttp, now }: ClientDocumentsOptions): ClientDocuments {
  const known = new LRUCache<string, { client: Client; untilMs: number }>({ max: maxDocuments });
  const underWay = new Map<string, Promise<Client>>();

  async function fetched(clientId: string): Promise<Client> {
    const answer = await fetch(clientId, { headers: { accept: 'application/json' } }).catch((cause: unknown) => {
      throw new ClientDocumentUnavailable(clientId, cause);
    });
    const { status, headers } = answer;
    if (status >= 500 || status === 429) throw new ClientDocumentUnavailable(clientId, `status ${status}`);
    if (status !== 200) throw new ClientDocumentInvalid(clientId, `it is answered with ${status}`);
    if (!/^application\/([\w.-]+\+)?json *(;|$)/i.test(headers.get('content-type') ?? ''))
      throw new ClientDocumentInvalid(clientId, 'it is not JSON');
    const client = clientOf(clientId, await answer.text());
    known.set(clientId, { client, untilMs: now().getTime() + documentMemoryMs });
    return client;
  }

  return {
    accepts(clientId) {
      if (!isDocumentUrl(clientId) || clientId.length > maxIdLength || !URL.canParse(clientId)) return false;
      const { href, protocol, username, password, pathname, hash, host } = new URL(clientId);
      const isId = href === clientId && pathname !== '/' && hash === '' && username === '' && password === '';
      return isId && (protocol === 'https:' || (allowHttp && protocol === 'http:')) && isAcceptedHost(host);
    },

    async find(clientId) {
      const remembered = known.get(clientId);
      if (remembered && remembered.untilMs > now().getTime()) return remembered.client;
      const already = underWay.get(clientId);
      if (already) return already;
      if (underWay.size >= maxFetches) throw new ClientDocumentUnavailable(clientId, 'too many are fetched now');
      const fetching = fetched(clientId).finally(() => underWay.delete(clientId));
      underWay.set(clientId, fetching);
      return fetching;
    },
  };
}

function clientOf(clientId: string, text: string): Client {
  const { data, error } = document.safeParse(parsed(text));
  const [issue] = error?.issues ?? [];
  if (!data) throw new ClientDocumentInvalid(clientId, `${issue?.path.join('.')} ${issue?.message}`);
  if (data.client_id !== clientId) throw new ClientDocumentInvalid(clientId, 'its client_id is another one');
  if (data.grant_types && !data.grant_types.includes('authorization_code'))
    throw new ClientDocumentInvalid(clientId, 'its grant_types have no authorization_code');
  const named = data.scope?.split(' ') ?? ['listeners'];
  const scopes = clientScope.options.filter((each) => named.includes(each));
  return {
    clientId,
    name: data.client_name ?? new URL(clientId).host,
    type: 'public',
    redirectUris: data.redirect_uris,
    scopes: scopes.length > 0 ? scopes : ['listeners'],
    secrets: [],
    registeredAt: '',
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
