import { apiKeyDecider, apiKeyStream } from '../../access/api-keys/api-key.js';
import { consentIdOf, findConsent } from '../../access/consents/consent.js';
import { apiKeyOfActor } from '../../access/identity/caller.js';
import { sessionDecider, sessionStream } from '../../access/tokens/session.js';
import type { ListenerDetails } from '../../events/listener-events.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';

type Access = Required<Pick<ListenerDetails, 'orgId' | 'userId' | 'agent'>>;

/** The session or API key of an agent was revoked, or its user has withdrawn the consent to its client since the session began. */
export async function isAccessRevoked(store: EventStore, { orgId, userId, agent }: Access): Promise<boolean> {
  const { clientId, sessionId } = agent;
  if (sessionId === null) return isKeyRevoked(store, userId);
  const { state: session } = await load(store, sessionStream(sessionId), sessionDecider);
  if (session.status === 'revoked') return true;
  if (clientId === null) return false;
  const consent = await findConsent(store, consentIdOf({ clientId, orgId, userId }));
  if (consent.state !== 'withdrawn') return false;
  return session.status === 'none' || session.issuedAt <= consent.withdrawnAt;
}

async function isKeyRevoked(store: EventStore, userId: string): Promise<boolean> {
  const apiKeyId = apiKeyOfActor(userId);
  if (apiKeyId === undefined) return false;
  return (await load(store, apiKeyStream(apiKeyId), apiKeyDecider)).state.status === 'revoked';
}
