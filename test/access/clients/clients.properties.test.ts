import { expect } from 'chai';
import fc from 'fast-check';
import { type Clients, clientsDecider } from '../../../src/access/clients/client.js';
import type { ClientEvent } from '../../../src/events/client-events.js';
import { DomainError } from '../../../src/kernel/domain-error.js';
import { folded } from '../../support/given.js';
import { change, endPrevious, hash, hour, later, register, remove, rotate } from './fixtures.js';

const clientId = fc.constantFrom('zapier', 'make', 'n8n');

const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('register' as const), isPublic: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rotate' as const),
      overlapMs: fc.constantFrom(null, 0, hour, 3 * hour),
      discardNewest: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { kind: 'change' } as const,
      { kind: 'end' } as const,
      { kind: 'remove' } as const,
      { kind: 'wait' } as const,
    ),
  },
);

type Step = readonly [string, typeof command extends fc.Arbitrary<infer Command> ? Command : never];

function decisionOf([clientId, step]: Step, number: number) {
  const now = later(number * hour);
  switch (step.kind) {
    case 'register':
      return register({ clientId, now, secretHash: step.isPublic ? null : hash(`s${number}`) });
    case 'rotate': {
      const { overlapMs, discardNewest } = step;
      return rotate({ clientId, now, secretHash: hash(`s${number}`), overlapMs, discardNewest });
    }
    case 'change':
      return change({ clientId, name: `name ${number}` });
    case 'end':
      return endPrevious(now, clientId);
    case 'remove':
      return remove(clientId);
    case 'wait':
      return () => [];
  }
}

function decided(decide: (clients: Clients) => readonly ClientEvent[], clients: Clients): readonly ClientEvent[] {
  try {
    return decide(clients);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [];
  }
}

describe('the registered clients', () => {
  it('are the same from any history as from its last event alone, one for each ID, with one secret or two', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(clientId, command), { maxLength: 40 }), (steps) => {
        const history: ClientEvent[] = [];
        for (const [number, step] of steps.entries()) {
          const before = folded(clientsDecider, history);
          history.push(...decided(decisionOf(step, number), before));
          const after = folded(clientsDecider, history);
          const others = (clients: Clients) => clients.filter((each) => each.clientId !== step[0]);
          expect(others(after), 'the other clients').to.deep.equal(others(before));
          expect(new Set(after.map((each) => each.clientId)).size).to.equal(after.length);
          for (const { type, secrets } of after) {
            expect(secrets.length).to.be.within(type === 'public' ? 0 : 1, type === 'public' ? 0 : 2);
            expect(secrets[0]?.until ?? null, 'the newest secret has no end').to.equal(null);
            expect(new Set(secrets.map((each) => each.hash)).size).to.equal(secrets.length);
          }
        }
      }),
    );
  });
});
