import { expect } from 'chai';
import { apiKeys } from '../../projections/api-keys.js';
import { type ApiKeyEvent, apiKeyCodec } from '../../src/events/api-key-events.js';
import { writesOf } from '../../src/views/project.js';
import { keyCreated, keyFacts, keyRevoked, keyUsed, later } from '../access/api-keys/fixtures.js';
import { recorded } from '../support/recorded.js';
import { projected } from '../support/views/project-events.js';

const { apiKeyId, hash } = keyFacts;

/** The document of the key after these events. */
function entryAfter(...events: ApiKeyEvent[]) {
  const given = recorded(apiKeyCodec, `apiKey-${apiKeyId}`, events, { actor: 'admin:ops' });
  const written = writesOf(projected(apiKeys, given)).get(apiKeyId);
  return written?.kind === 'put' ? written.document : undefined;
}

describe('the view of API keys', () => {
  it('shows the purpose and the creator of a key, but neither the key nor its hash', () => {
    const entry = entryAfter(keyCreated());
    expect(entry).to.deep.equal({
      apiKeyId,
      name: 'erp',
      orgId: 'org-1',
      scopes: ['flows:publish'],
      state: 'active',
      createdAt: keyFacts.createdAt,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      createdBy: 'admin:ops',
      revokedBy: null,
    });
    expect(JSON.stringify(entry)).not.to.include(hash);
  });

  it('shows the last use and the revocation', () => {
    expect(entryAfter(keyCreated(), keyUsed(later(1)), keyRevoked(later(2)))).to.include({
      state: 'revoked',
      lastUsedAt: later(1).toISOString(),
      revokedAt: later(2).toISOString(),
      revokedBy: 'admin:ops',
    });
  });
});
