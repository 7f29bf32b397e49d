import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { portalAccess } from '../../../src/access/portal/portal-access.js';

describe('access to the portal', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  let time: number;
  const keys = masterKeys(new Map([['g1', randomBytes(32)]]));
  const access = portalAccess({ masterKeys: keys, now: () => new Date(time) });
  const link = { orgId: 'acme', role: 'operator', actor: 'portal:ada', sessionMs: 3_600_000 } as const;

  beforeEach(() => {
    time = start;
  });

  it('is given by a link until it expires', async () => {
    const token = await access.sealLink(link, 600_000);
    time = start + 599_000;
    expect(await access.openLink(token)).to.deep.equal(link);
    time = start + 601_000;
    expect(await access.openLink(token)).to.equal(undefined);
  });

  it('lasts for the time of the link from its opening on', async () => {
    time = start + 500_000;
    const session = await access.sealSession(link);
    time += 3_599_000;
    const { sessionMs: _, ...grant } = link;
    expect(await access.openSession(session)).to.deep.equal({ ...grant, expiresAt: start + 500_000 + 3_600_000 });
    time += 2_000;
    expect(await access.openSession(session)).to.equal(undefined);
  });

  it('is not given by a link in place of a session, nor the other way round, nor by other keys', async () => {
    const token = await access.sealLink(link, 600_000);
    const session = await access.sealSession(link);
    expect(await access.openSession(token)).to.equal(undefined);
    expect(await access.openLink(session)).to.equal(undefined);
    const others = masterKeys(new Map([['g1', randomBytes(32)]]));
    expect(await portalAccess({ masterKeys: others, now: () => new Date(time) }).openLink(token)).to.equal(undefined);
    expect(await access.openLink(`${token.slice(0, -2)}AA`)).to.equal(undefined);
    expect(await access.openLink('')).to.equal(undefined);
  });

  it('does not show what it grants', async () => {
    const token = await access.sealLink(link, 600_000);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.to.include('acme');
    expect(token).not.to.include('acme');
  });
});
