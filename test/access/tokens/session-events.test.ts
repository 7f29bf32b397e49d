import { expect } from 'chai';
import { sessionCodec } from '../../../src/events/session-events.js';
import type { JsonObject } from '../../../src/stores/event-store/event-store.js';
import { facts } from './fixtures.js';

describe('session events of schema version 1', () => {
  const { clientId, scopes, ...asWritten } = facts;
  const revocation = { reason: 'operator', revokedAt: facts.issuedAt };
  const payloads: Readonly<Record<string, JsonObject>> = {
    TokensIssued: {},
    RefreshRotated: {},
    RefreshReuseDetected: { presentedHash: facts.currentHash },
    SessionRevoked: revocation,
  };

  for (const [type, more] of Object.entries(payloads)) {
    it(`become events of sessions without a client: ${type}`, () => {
      const { data } = sessionCodec.decode({
        id: facts.sessionId,
        stream: `session-${facts.sessionId}`,
        revision: 0n,
        position: 0n,
        type,
        data: { ...asWritten, ...more },
        metadata: { schemaVersion: 1, recordedAt: facts.issuedAt },
        created: new Date(0),
      });
      expect(data).to.deep.equal({ ...asWritten, ...more, clientId: null, scopes: null });
    });
  }
});
