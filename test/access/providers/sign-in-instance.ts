import { type MasterKeys, masterKeys } from '../../../src/access/keys/master-keys.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { protectedResources } from '../../../src/access/protected-resource.js';
import type { IdentifiedUser } from '../../../src/access/providers/claims.js';
import { type OwnCodes, ownCodes } from '../../../src/access/providers/own-codes.js';
import { pendingSignIns } from '../../../src/access/providers/pending-sign-ins.js';
import type { Provider } from '../../../src/access/providers/provider.js';
import { providerRoutes, serviceAddressOf } from '../../../src/access/providers/routes.js';
import { signInSteps } from '../../../src/access/providers/sign-in-steps.js';
import { platformAnswers } from '../../../src/access/sign-in/platform-request.js';
import type { Client } from '../../../src/events/client-events.js';
import type { Routes } from '../../../src/http/context.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { serveRoutes } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

export const zapier: Client = {
  clientId: 'zapier',
  name: 'Zap & Co',
  type: 'confidential',
  redirectUris: ['https://platform.example/callback'],
  scopes: ['listeners', 'flows:publish'],
  secrets: [],
  registeredAt: '2026-01-01T00:00:00.000Z',
};

/** Parts that instances of a service share. */
export type Shared = {
  store: EventStore;
  masterKeys: MasterKeys;
  codes: OwnCodes;
  clients: Map<string, Client>;
  issuer: string;
  now: () => Date;
  /** Answer of the provider. */
  user: IdentifiedUser | Error;
  /** Why the provider cannot be reached. */
  unavailable?: Error | undefined;
  wait: (ms: number) => void;
};

export const ada = (...names: string[]): IdentifiedUser => ({
  userId: 'ada',
  displayName: 'Ada',
  organisations: names.map((id) => ({ id, name: id.toUpperCase() })),
});

export async function sharedByInstances(): Promise<Shared> {
  let ms = Date.now();
  const now = () => new Date(ms);
  const issuer = 'https://hooks.example.com';
  return {
    store: openSqliteEventStore({ directory: temporaryDirectory() }),
    masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 1)]])),
    codes: ownCodes({ issuer, signingKeys: await signingKeys(generateSigningKeys()), now }),
    clients: new Map([[zapier.clientId, zapier]]),
    issuer,
    now,
    user: ada('acme'),
    wait(forMs) {
      ms += forMs;
    },
  };
}

/** The sign-in of one instance, and `more` after it, with a provider whose answer `shared.user` is. The header `x-host` selects another host. */
export async function startInstance(shared: Shared, publicUrl?: string, more: readonly Routes[] = []) {
  const { store, codes, issuer, now } = shared;
  const hostOf = (ctx: { get(name: string): string }) => ctx.get('x-host') || ctx.get('host');
  const provider: Provider = {
    issuer: 'https://id.example',
    async authorizationUrl({ state }, { otherAccount } = {}) {
      if (shared.unavailable) throw shared.unavailable;
      return new URL(`https://id.example/authorize?state=${state}${otherAccount ? '&other=true' : ''}`);
    },
    endSessionUrl: async () => undefined,
    async identify() {
      if (shared.user instanceof Error) throw shared.user;
      return shared.user;
    },
    check: async () => undefined,
    failure: () => undefined,
  };
  const clients = { current: async () => shared.clients };
  const pending = pendingSignIns(shared, { secure: publicUrl?.startsWith('https:') === true });
  const answers = platformAnswers(() => issuer);
  return serveRoutes(
    providerRoutes({
      providerOf: (host) => (host.startsWith('other.') ? undefined : provider),
      hostOf,
      addressOf: serviceAddressOf(hostOf, publicUrl),
      clients,
      resourceOf: protectedResources(true, () => issuer),
      pending,
      answers,
      steps: signInSteps({ store, clients, pending, codes, answers, now }),
    }),
    ...more,
  );
}
