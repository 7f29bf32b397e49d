import { type Client, type ClientScope, clientScope, clientsStream } from '../../events/client-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { clientsDecider } from './client.js';
import { type ClientDocuments, noDocuments } from './client-documents.js';

/** Clients by ID. Empty: no client is registered, and none has to authenticate. */
export type RegisteredClients = ReadonlyMap<string, Client>;

/** Lookup of the registered clients. */
export type CurrentClients = {
  /**
   * `clientId`: of the request; if it is the URL of an accepted document, its client is among them. Throws `ClientDocumentInvalid` and
   * `ClientDocumentUnavailable`.
   */
  current: (clientId?: string | null) => Promise<RegisteredClients>;
};

/** Lookup of the scopes of a client. */
export type ClientScopes = {
  /** Scopes that tokens of the client may have now; undefined for an unknown client. Fetches no document. */
  scopesOf: (clientId: string) => Promise<readonly ClientScope[] | undefined>;
};

export type ClientRegistry = CurrentClients & ClientScopes;

/** A change is in force on all instances after this time. */
export const clientMemoryMs = 500;

/**
 * Keeps the clients in memory; reads them again at the first use after `clientMemoryMs`, counted from the start of the
 * last read. `monotonicMs`: a clock that is never set back.
 */
export function clientRegistry(
  store: EventStore,
  monotonicMs: () => number = () => performance.now(),
  documents: ClientDocuments = noDocuments,
): ClientRegistry {
  let last: { startedAtMs: number; clients: Promise<RegisteredClients> } | undefined;

  async function read(): Promise<RegisteredClients> {
    const { state } = await load(store, clientsStream, clientsDecider);
    return new Map(state.map((client) => [client.clientId, client]));
  }

  async function registered(): Promise<RegisteredClients> {
    const nowMs = monotonicMs();
    if (last && nowMs - last.startedAtMs < clientMemoryMs) return last.clients;
    const reading = { startedAtMs: nowMs, clients: read() };
    last = reading;
    try {
      return await reading.clients;
    } catch (error) {
      if (last === reading) last = undefined; // the next use reads again
      throw error;
    }
  }

  return {
    async current(clientId) {
      const clients = await registered();
      if (typeof clientId !== 'string' || !documents.accepts(clientId)) return clients;
      return new Map([...clients, [clientId, await documents.find(clientId)]]);
    },

    async scopesOf(clientId) {
      return documents.accepts(clientId) ? clientScope.options : (await registered()).get(clientId)?.scopes;
    },
  };
}
