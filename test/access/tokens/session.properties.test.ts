import { expect } from 'chai';
import fc from 'fast-check';
import { sessionDecider } from '../../../src/access/tokens/session.js';
import type { SessionEvent } from '../../../src/events/session-events.js';
import { folded } from '../../support/given.js';
import { issued, reuseDetected, revoked, rotated } from './fixtures.js';
import { anyStep, SessionModel } from './session-model.js';

const name = fc.constantFrom('first', 'second', 'third', 'fourth');

const anyEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.constant(issued()),
  fc
    .record({ from: name, to: name, rotations: fc.nat(), clientId: fc.constantFrom(null, 'zapier') })
    .map(({ from, to, ...changes }) => rotated(from, to, { ...changes, scopes: changes.clientId && ['listeners'] })),
  name.map((presented) => reuseDetected(presented)),
  fc
    .constantFrom('refresh-token-reused' as const, 'code-reused' as const, 'operator' as const)
    .map((why) => revoked(why)),
);

describe('a session', () => {
  it('has the same state from any history as from its last event alone', () => {
    fc.assert(fc.property(fc.array(anyEvent, { minLength: 1 }), (history) => void folded(sessionDecider, history)));
  });

  it('never has two valid successors of one refresh token, after any requests in any order', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const model = new SessionModel();
        for (const each of steps) {
          model.take(each);
          expect(model.live).to.be.at.most(1);
          for (const answers of model.answers.values()) expect(answers.size).to.equal(1);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stays revoked after any requests', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 10 }), (steps) => {
        const model = new SessionModel();
        model.take({ kind: 'revoke' });
        const { length } = model.events;
        for (const each of steps) model.take(each);
        expect(model.events).to.have.length(length);
      }),
    );
  });

  it('has no token in its events', () => {
    const model = new SessionModel();
    model.take({ kind: 'present', tokens: [0], generation: 'g2', lost: false });
    const written = JSON.stringify(model.events);
    for (const { text, secret } of model.held) {
      expect(written).to.not.include(text);
      expect(written).to.not.include(secret.toString('base64url'));
      expect(written).to.not.include(secret.toString('hex'));
    }
  });
});
