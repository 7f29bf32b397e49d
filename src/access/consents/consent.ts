import { type ConsentEvent, type ConsentGranted, consentCodec } from '../../events/consent-events.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { Cause, EventOf } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Decider, type Handled, handle, load } from '../../stores/event-store/handle.js';
import { ConsentNotFound } from '../errors.js';

export type ConsentFacts = EventOf<typeof ConsentGranted>['data'];

export type Consent =
  | { state: 'none' }
  | ({ state: 'granted' } & ConsentFacts)
  | ({ state: 'withdrawn'; withdrawnAt: string } & ConsentFacts);

export const consentDecider: Decider<Consent, ConsentEvent> = {
  codec: consentCodec,
  initialState: () => ({ state: 'none' }),
  evolve(_, event) {
    if (event.type === 'ConsentGranted') return { state: 'granted', ...factsOf(event.data) };
    return { state: 'withdrawn', ...factsOf(event.data), withdrawnAt: event.data.withdrawnAt };
  },
};

const factsOf = ({ consentId, clientId, orgId, userId, scopes, grantedAt }: ConsentFacts): ConsentFacts => ({
  consentId,
  clientId,
  orgId,
  userId,
  scopes,
  grantedAt,
});

/** Permanent: with another namespace, users would be asked again. */
const idOf = uuidV5('36e182ed-9f76-4485-b2f4-a9ad2d2b5d0f');

type ConsentParties = Pick<ConsentFacts, 'clientId' | 'orgId' | 'userId'>;

export const consentIdOf = ({ clientId, orgId, userId }: ConsentParties): string =>
  idOf(JSON.stringify([clientId, orgId, userId]));

export const consentStream = (consentId: string): string => `consent-${consentId}`;

export const covers = (consent: Consent, scopes: readonly string[]): boolean =>
  consent.state === 'granted' && scopes.every((scope) => consent.scopes.includes(scope));

type GrantConsent = ConsentParties & { scopes: readonly string[]; now: Date };

/** Adds to the scopes of earlier consents unless they were withdrawn. */
export function grantConsent({ clientId, orgId, userId, scopes, now }: GrantConsent, consent: Consent): ConsentEvent[] {
  if (covers(consent, scopes)) return [];
  const earlier = consent.state === 'granted' ? consent.scopes : [];
  return [
    {
      type: 'ConsentGranted',
      data: {
        consentId: consentIdOf({ clientId, orgId, userId }),
        clientId,
        orgId,
        userId,
        scopes: [...new Set([...earlier, ...scopes])],
        grantedAt: now.toISOString(),
      },
    },
  ];
}

type WithdrawConsent = { consentId: string; now: Date };

/** Changes nothing if it was withdrawn before. Throws `ConsentNotFound`. */
export function withdrawConsent({ consentId, now }: WithdrawConsent, consent: Consent): ConsentEvent[] {
  if (consent.state === 'none') throw new ConsentNotFound(consentId);
  if (consent.state === 'withdrawn') return [];
  return [{ type: 'ConsentWithdrawn', data: { ...factsOf(consent), withdrawnAt: now.toISOString() } }];
}

type Context = { cause: Cause; now: Date };

export async function hasConsented(
  store: EventStore,
  parties: ConsentParties,
  scopes: readonly string[],
): Promise<boolean> {
  return covers(await findConsent(store, consentIdOf(parties)), scopes);
}

export async function recordConsent(
  store: EventStore,
  granted: ConsentParties & { scopes: readonly string[] },
  context: Context,
): Promise<void> {
  const stream = consentStream(consentIdOf(granted));
  const command = { ...granted, now: context.now };
  await handle(store, stream, consentDecider, (consent) => grantConsent(command, consent), context);
}

/** Throws `ConsentNotFound` and the errors of `handle`. */
export const endConsent = (
  store: EventStore,
  consentId: string,
  context: Context,
): Promise<Handled<Consent, ConsentEvent>> =>
  handle(
    store,
    consentStream(consentId),
    consentDecider,
    (consent) => withdrawConsent({ consentId, now: context.now }, consent),
    context,
  );

export const findConsent = async (store: EventStore, consentId: string): Promise<Consent> =>
  (await load(store, consentStream(consentId), consentDecider)).state;
