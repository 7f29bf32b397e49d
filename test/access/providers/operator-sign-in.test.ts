import { expect } from 'chai';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { type OperatorProvider, operatorTokens } from '../../../src/access/providers/operator-sign-in.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { rejection } from '../../support/rejection.js';

const provider: OperatorProvider = {
  issuer: 'https://idp.example',
  roles: { readers: 'viewer', team: 'operator' },
  signedInSince: undefined,
};
const signedIn = {
  actor: 'console:ada@example.com',
  issuer: provider.issuer,
  groups: ['readers', 'team'],
  signedInMs: Date.parse('2026-01-01T08:00:00Z'),
};

function at(time: string, settings: OperatorProvider | null = provider, keyByte = 1) {
  const keys = masterKeys(new Map([['g1', Buffer.alloc(32, keyByte)]]));
  return operatorTokens({ masterKeys: keys, now: () => new Date(time) }, settings ?? undefined);
}

describe('the token of an operator', () => {
  let token: string;
  before(async () => {
    token = await at('2026-01-01T08:30:00Z').issue(signedIn);
  });

  const accepted = (...[time, ...settings]: Parameters<typeof at>) => at(time, ...settings).verify(token);
  async function expectRefused(refusing: ReturnType<typeof at>, text = token): Promise<void> {
    const error = await rejection(refusing.verify(text));
    expect(error).to.be.instanceOf(Unauthenticated);
    expect((error as Error).message).not.to.include(text);
  }

  it('names the operator, with the highest role of the groups, for eight hours', async () => {
    expect(await accepted('2026-01-01T16:29:00Z')).to.eql({ actor: signedIn.actor, role: 'operator' });
    await expectRefused(at('2026-01-01T16:31:00Z'));
  });

  it('has the role that the groups have now, and none when they have lost theirs', async () => {
    const withRoles = (roles: OperatorProvider['roles']) => ({ ...provider, roles });
    const time = '2026-01-01T09:00:00Z';
    expect(await accepted(time, withRoles({ readers: 'viewer' }))).to.have.property('role', 'viewer');
    await expectRefused(at(time, withRoles({ others: 'owner' })));
  });

  it('is of no use with another provider or none, another master key, and after the time of a revocation', async () => {
    const time = '2026-01-01T09:00:00Z';
    await expectRefused(at(time, { ...provider, issuer: 'https://other.example' }));
    await expectRefused(at(time, null));
    await expectRefused(at(time, provider, 2));
    await expectRefused(at(time, { ...provider, signedInSince: new Date('2026-01-01T08:00:01Z') }));
    await expectRefused(at(time), `${token}x`);
    await expectRefused(at(time), 'fho_');
    expect(await at(time).verify('an-admin-key')).to.equal(undefined);
  });
});
