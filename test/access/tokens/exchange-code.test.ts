import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { InvalidGrant } from '../../../src/access/errors.js';
import type { Client, ClientScope } from '../../../src/events/client-events.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { faultyStore, type TokenService, tokenService } from './token-service.js';

const verifier = 'a-code-verifier-of-at-least-forty-three-characters';
const challenge = createHash('sha256').update(verifier).digest('base64url');

describe('exchanging a code', () => {
  let service: TokenService;
  beforeEach(async () => {
    service = await tokenService();
  });
  afterEach(() => service.close());

  const refused = async (exchange: Promise<unknown>) =>
    expect(await rejection(exchange)).to.be.instanceOf(InvalidGrant);

  it('returns valid tokens', async () => {
    const tokens = await service.exchange(await service.code());
    expect(tokens).to.include({ userId: 'ada', orgId: 'acme' });
    expect(await service.accessTokens.verify(tokens.accessToken)).to.include({ userId: 'ada', orgId: 'acme' });
    expect((await service.refresh(tokens.refreshToken)).refreshToken).to.not.equal(tokens.refreshToken);
  });

  it('refuses a code for the reserved organisation', async () =>
    refused(service.exchange(await service.code(undefined, { orgId: 'flow-hooks.operations' }))));

  it('refuses the second use and revokes the tokens of the first', async () => {
    const code = await service.code();
    const { accessToken, refreshToken } = await service.exchange(code);
    await refused(service.exchange(code));
    await refused(service.refresh(refreshToken));
    expect(await rejection(service.accessTokens.verify(accessToken))).to.be.instanceOf(Unauthenticated);
    await refused(service.exchange(code));
  });

  it('gives tokens to one of fifty concurrent exchanges of a code, and the others revoke them', async () => {
    const code = await service.code();
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => service.exchange(code)));
    const given = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(given).to.have.length(1);
    expect(refusals).to.have.length(49);
    for (const reason of refusals) expect(reason).to.be.instanceOf(InvalidGrant);
    await refused(service.refresh(given[0]?.refreshToken ?? ''));
  });

  describe('that names a registered client', () => {
    const redirectUri = 'https://platform.example/callback';
    const register = async (clientId: string, type: Client['type'] = 'confidential') => {
      const scopes: readonly ClientScope[] = ['listeners'];
      const details = { clientId, name: clientId, type, redirectUris: [redirectUri], scopes: [...scopes] };
      const { client } = await service.operate({ change: 'register', ...details });
      if (!client) throw new Error('it was not registered');
      return client;
    };
    const codeOf = (clientId: string) => service.code(undefined, { clientId, redirectUri });

    it('answers a repeat by this client within the grace period with the same tokens', async () => {
      const zapier = await register('zapier');
      const code = await codeOf('zapier');
      const first = await service.exchangeAs(zapier, code);
      service.wait(119_000);
      const repeats = await Promise.all(Array.from({ length: 10 }, () => service.exchangeAs(zapier, code)));
      for (const { refreshToken, accessToken } of repeats) {
        expect(refreshToken).to.equal(first.refreshToken);
        expect(await service.accessTokens.verify(accessToken)).to.include({ userId: 'ada' });
      }
      service.wait(1_000);
      await refused(service.exchangeAs(zapier, code));
      expect(await rejection(service.accessTokens.verify(first.accessToken))).to.be.instanceOf(Unauthenticated);
    });

    it('gives no tokens to a repeat by this client with another redirect URI, and revokes those of the first use', async () => {
      const zapier = await register('zapier');
      const code = await service.code(challenge, { clientId: 'zapier', redirectUri });
      const exact = { redirectUri, codeVerifier: verifier };
      const { accessToken, refreshToken } = await service.exchangeAs(zapier, code, exact);
      expect((await service.exchangeAs(zapier, code, exact)).refreshToken).to.equal(refreshToken);
      await refused(service.exchangeAs(zapier, code, { redirectUri, codeVerifier: `${verifier}x` }));
      expect(await service.accessTokens.verify(accessToken)).to.include({ userId: 'ada' });
      await refused(service.exchangeAs(zapier, code, { codeVerifier: verifier }));
      expect(await rejection(service.accessTokens.verify(accessToken))).to.be.instanceOf(Unauthenticated);
    });

    it('revokes the tokens when the code was used by a caller without credentials', async () => {
      const code = await codeOf('zapier');
      const { accessToken } = await service.exchange(code);
      await refused(service.exchangeAs(await register('zapier'), code));
      expect(await rejection(service.accessTokens.verify(accessToken))).to.be.instanceOf(Unauthenticated);
    });

    it('revokes the tokens when a caller without credentials repeats it', async () => {
      const zapier = await register('zapier');
      const code = await codeOf('zapier');
      await service.exchangeAs(zapier, code);
      await refused(service.exchange(code));
      await refused(service.exchangeAs(zapier, code));
    });

    it('revokes the tokens when a public client repeats it: its ID proves nothing', async () => {
      const app = await register('app', 'public');
      const code = await service.code(challenge, { clientId: 'app', redirectUri });
      const exchange = () =>
        service.exchangeCode({ code, codeVerifier: verifier, client: app }, (actor) => ({
          actor,
          correlationId: 'test',
        }));
      const { accessToken } = await exchange();
      await refused(exchange());
      expect(await rejection(service.accessTokens.verify(accessToken))).to.be.instanceOf(Unauthenticated);
    });

    it('refuses another client, and leaves the tokens as they are', async () => {
      const [zapier, make] = [await register('zapier'), await register('make')];
      const code = await codeOf('zapier');
      const { accessToken } = await service.exchangeAs(zapier, code);
      await refused(service.exchangeAs(make, code));
      expect(await service.accessTokens.verify(accessToken)).to.include({ userId: 'ada' });
    });
  });

  it('refuses an expired code', async () => {
    const code = await service.code();
    service.wait(361_000);
    await refused(service.exchange(code));
  });

  it('requires the verifier of a code with a challenge, and leaves the code unused if it is wrong', async () => {
    const code = await service.code(challenge);
    await refused(service.exchange(code));
    await refused(service.exchange(code, `${verifier}x`));
    expect(await service.exchange(code, verifier)).to.include({ userId: 'ada' });
  });

  it('refuses a verifier if the code has no challenge, and leaves the code unused', async () => {
    const code = await service.code();
    await refused(service.exchange(code, verifier));
    expect(await service.exchange(code)).to.include({ userId: 'ada' });
  });
});

describe('exchanging a code when the store fails', () => {
  const directory = temporaryDirectory();
  const faults = faultyStore(openSqliteEventStore({ directory }));
  let service: TokenService;
  before(async () => {
    service = await tokenService({ store: faults.store });
  });
  afterEach(() => faults.working());
  after(() => service.close());

  const unavailable = new StoreUnavailable('test');

  for (const when of ['before', 'after'] as const) {
    it(`succeeds at the retry if the failure was ${when} the append`, async () => {
      const code = await service.code();
      faults.failing(when, unavailable);
      expect(await rejection(service.exchange(code))).to.equal(unavailable);
      faults.working();
      const { accessToken, refreshToken } = await service.exchange(code);
      expect(await service.accessTokens.verify(accessToken)).to.include({ userId: 'ada' });
      await service.refresh(refreshToken);
    });
  }

  it('succeeds at one retry only: the next use is a second use', async () => {
    const code = await service.code();
    faults.failing('after', unavailable);
    await rejection(service.exchange(code));
    faults.working();
    const outcomes = await Promise.allSettled([service.exchange(code), service.exchange(code)]);
    expect(outcomes.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected']);
  });

  it('does not treat a failure of a second use as an interrupted first use', async () => {
    const code = await service.code();
    await service.exchange(code);
    faults.failing('before', unavailable);
    expect(await rejection(service.exchange(code))).to.equal(unavailable);
    faults.working();
    expect(await rejection(service.exchange(code))).to.be.instanceOf(InvalidGrant);
  });
});
