import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Consent,
  consentDecider,
  consentIdOf,
  covers,
  grantConsent,
  withdrawConsent,
} from '../../../src/access/consents/consent.js';
import { ConsentNotFound } from '../../../src/access/errors.js';
import type { ConsentEvent } from '../../../src/events/consent-events.js';
import { folded, given } from '../../support/given.js';
import { consentGranted, consentWithdrawn, parties } from './fixtures.js';

const consent = (...history: readonly ConsentEvent[]) => given(consentDecider, history);
const later = '2026-01-02T00:00:00.000Z';
const now = new Date(later);
const grant = (...scopes: string[]) => {
  const command = { ...parties, scopes, now };
  return (state: Consent) => grantConsent(command, state);
};
const withdraw = (state: Consent) => withdrawConsent({ consentId: consentIdOf(parties), now }, state);

describe('a consent', () => {
  it('is recorded once for each client, organisation and user', () => {
    consent()
      .when(grant('listeners'))
      .then([consentGranted({ grantedAt: later })]);
    consent(consentGranted()).when(grant('listeners')).then([]);
    const ids = [
      parties,
      { ...parties, clientId: 'make' },
      { ...parties, orgId: 'o' },
      { ...parties, userId: 'u' },
    ].map(consentIdOf);
    expect(new Set(ids).size).to.equal(4);
    expect(ids[0]).to.equal('b47adbd1-8b6c-5794-a64a-f3d21a954b40');
  });

  it('is extended by scopes that were not agreed to before', () => {
    consent(consentGranted())
      .when(grant('flows:publish'))
      .then([consentGranted({ scopes: ['listeners', 'flows:publish'], grantedAt: later })]);
    expect(covers(consent(consentGranted()).state, ['listeners', 'flows:publish'])).to.equal(false);
  });

  it('covers nothing after it was withdrawn, and can be given again without its earlier scopes', () => {
    consent(consentGranted()).when(withdraw).then([consentWithdrawn()]);
    const withdrawn = consent(consentGranted(), consentWithdrawn());
    expect(covers(withdrawn.state, ['listeners'])).to.equal(false);
    withdrawn.when(withdraw).then([]);
    withdrawn.when(grant('flows:publish')).then([consentGranted({ scopes: ['flows:publish'], grantedAt: later })]);
  });

  it('that does not exist cannot be withdrawn', () => {
    consent().when(withdraw).thenThrows(ConsentNotFound);
  });

  it('has the same state from any history as from its last event alone', () => {
    const anyEvent = fc.oneof(
      fc.subarray(['listeners', 'flows:publish'], { minLength: 1 }).map((scopes) => consentGranted({ scopes })),
      fc.constant(consentWithdrawn()),
    );
    fc.assert(fc.property(fc.array(anyEvent, { minLength: 1 }), (history) => void folded(consentDecider, history)));
  });
});
