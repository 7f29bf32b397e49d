import { type ConsentEvent, type ConsentGranted, consentCodec } from '../../events/consent-events.js';
import { uuidV5 } from '../../kernel/uuid-v5.js';
import type { EventOf } from '../../stores/event-store/codec.js';
import type { Decider } from '../../stores/event-store/handle.js';

/** What a user agreed to: a client may act for them in an organisation, within these scopes. */
export type ConsentFacts = EventOf<typeof ConsentGranted>['data'];

export type Consent =
  | { readonly state: 'none' }
  | ({ readonly state: 'granted' } & ConsentFacts)
  | ({ readonly state: 'withdrawn'; readonly withdrawnAt: string } & ConsentFacts);

export const consentDecider: Decider<Consent, ConsentEvent> = {
  codec: consentCodec,
  initialState: () => ({ state: 'none' }),
  evolve(_, event) {
    if (event.type === 'ConsentGranted') return { state: 'granted', ...factsOf(event.data) };
    return { state: 'withdrawn', ...factsOf(event.data), withdrawnAt: event.data.withdrawnAt };
  },
};

export const factsOf = ({ consentId, clientId, orgId, userId, scopes, grantedAt }: ConsentFacts): ConsentFacts => ({
  consentId,
  clientId,
  orgId,
  userId,
  scopes,
  grantedAt,
});

/** Permanent: with another namespace, users would be asked again. */
const idOf = uuidV5('36e182ed-9f76-4485-b2f4-a9ad2d2b5d0f');

export type ConsentParties = Pick<ConsentFacts, 'clientId' | 'orgId' | 'userId'>;

/** One consent for each client, organisation and user. */
export const consentIdOf = ({ clientId, orgId, userId }: ConsentParties): string =>
  idOf(JSON.stringify([clientId, orgId, userId]));

export const consentStream = (consentId: string): string => `consent-${consentId}`;

/** Whether the user has agreed to all these scopes. */
export const covers = (consent: Consent, scopes: readonly string[]): boolean =>
  consent.state === 'granted' && scopes.every((scope) => consent.scopes.includes(scope));
