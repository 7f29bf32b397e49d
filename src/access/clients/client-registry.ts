import { type Client, clientsStream } from '../../events/client-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import { clientsDecider } from './client.js';

/** Clients by ID. Empty: no client is registered, and none has to authenticate. */
export type RegisteredClients = ReadonlyMap<string, Client>;

export type ClientRegistry = { current: () => Promise<RegisteredClients> };

/** A change is in force on all instances after this time. */
export const clientMemoryMs = 500;

/**
 * Keeps the clients in memory; reads them again at the first use after `clientMemoryMs`, counted from the start of the
 * last read. `monotonicMs`: a clock that is never set back.
 */
export function clientRegistry(store: EventStore, monotonicMs: () => number = () => performance.now()): ClientRegistry {
  let last: { startedAtMs: number; clients: Promise<RegisteredClients> } | undefined;

  async function read(): Promise<RegisteredClients> {
    const { state } = await load(store, clientsStream, clientsDecider);
    return new Map(state.map((client) => [client.clientId, client]));
  }

  return {
    async current() {
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
    },
  };
}
