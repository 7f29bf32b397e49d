import { expect } from 'chai';
import fc from 'fast-check';
import { InvalidGrant } from '../../../src/access/errors.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { firstRefreshToken, hashOf, type RefreshToken, successorOf } from '../../../src/access/tokens/refresh-token.js';
import { type Session, sessionDecider } from '../../../src/access/tokens/session.js';
import { rotateRefresh } from '../../../src/access/tokens/session-commands.js';
import type { SessionEvent } from '../../../src/events/session-events.js';
import { folded } from '../../support/given.js';
import { facts, issue, later, limits, revoke } from './fixtures.js';

/** Clients present these tokens at once, by age (0: the newest); `lost`: the response does not arrive. */
type Present = {
  kind: 'present';
  tokens: readonly number[];
  generation: 'g1' | 'g2';
  lost: boolean;
};

export type Step = Present | { kind: 'wait'; ms: number } | { kind: 'use code again' } | { kind: 'revoke' };

const present = fc.record({
  kind: fc.constant('present' as const),
  tokens: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
  generation: fc.constantFrom('g1' as const, 'g2' as const),
  lost: fc.boolean(),
});
const wait = fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 119_000, 121_000) });
const end = fc.constantFrom({ kind: 'use code again' } as const, { kind: 'revoke' } as const);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: present },
  { weight: 4, arbitrary: wait },
  { weight: 1, arbitrary: end },
);

const keys = masterKeys(
  new Map([
    ['g1', Buffer.alloc(32, 1)],
    ['g2', Buffer.alloc(32, 2)],
  ]),
);

/** A session with its clients, including concurrent ones and ones that lose responses. */
export class SessionModel {
  readonly events: SessionEvent[] = [];
  /** The tokens that clients have, newest first. */
  readonly held: RefreshToken[] = [];
  /** All successors that were returned for each token. */
  readonly answers = new Map<string, Set<string>>();
  private ms = 0;

  constructor() {
    const first = firstRefreshToken(keys, 'g1', facts.sessionId, { code: 'code' });
    this.held.push(first);
    this.append(issue({ refreshTokenHash: hashOf(first) }));
  }

  /** The number of tokens that would be rotated if they were presented now. */
  get live(): number {
    const { session } = this;
    return session.status === 'active' ? this.held.filter((token) => hashOf(token) === session.currentHash).length : 0;
  }

  take(step: Step): void {
    if (step.kind === 'present') this.presentAtOnce(step);
    else if (step.kind === 'wait') this.ms += step.ms;
    else if (step.kind === 'revoke') this.append(revoke({ reason: 'operator', now: later(this.ms) }));
    else this.append(issue({ now: later(this.ms) }));
  }

  private get session(): Session {
    return folded(sessionDecider, this.events);
  }

  private append(decide: (session: Session) => readonly SessionEvent[]): void {
    this.events.push(...decide(this.session));
  }

  /** All requests read the session at the same time; those that lose the race for the append read it again. */
  private presentAtOnce({ tokens, generation, lost }: Present): void {
    const read = [...this.events];
    for (const presented of tokens.flatMap((index) => this.held[index] ?? [])) {
      try {
        const decided = decide(presented, generation, read, this.ms);
        const isConflict = decided.length > 0 && read.length < this.events.length;
        const seen = isConflict ? [...this.events] : read;
        const events = isConflict ? decide(presented, generation, seen, this.ms) : decided;
        this.events.push(...events);
        this.answer(presented, folded(sessionDecider, [...seen, ...events]), lost);
      } catch (error) {
        if (!(error instanceof InvalidGrant)) throw error;
      }
    }
  }

  private answer(presented: RefreshToken, session: Session, lost: boolean): void {
    if (session.status !== 'active') return;
    const successor = successorOf(keys, session.keyGeneration, presented);
    expect(hashOf(successor), 'the returned token is the current one').to.equal(session.currentHash);
    this.answers.set(presented.text, (this.answers.get(presented.text) ?? new Set()).add(successor.text));
    if (!lost && !this.held.some(({ text }) => text === successor.text)) this.held.unshift(successor);
  }
}

function decide(presented: RefreshToken, keyGeneration: string, history: readonly SessionEvent[], ms: number) {
  const successorHash = hashOf(successorOf(keys, keyGeneration, presented));
  const command = { presentedHash: hashOf(presented), successorHash, keyGeneration, limits, now: later(ms) };
  return rotateRefresh(command, folded(sessionDecider, history));
}
