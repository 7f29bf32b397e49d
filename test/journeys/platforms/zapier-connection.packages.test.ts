import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../src/access/clients/client-registry.js';
import { documentedUser } from '../../support/documented-login-page.js';
import { rejection } from '../../support/rejection.js';
import { probe } from '../../support/service/journey.js';
import { until } from '../../support/until.js';
import { openZapierPlace, unusualUser, type ZapierPlace } from '../../support/zapier/production.js';
import { type Connection, openZapier } from '../../support/zapier/zapier.js';

describe('a connection of the Zapier integration', function () {
  this.timeout(120_000);
  let place: ZapierPlace;
  let connection: Connection;

  before(async () => {
    place = await openZapierPlace({ ACCESS_TOKEN_TTL: '5s' });
  });
  after(() => place.stop());
  beforeEach(async () => {
    connection = await place.zapier.connect(documentedUser);
  });

  const hasExpired = () =>
    until(async () => (await probe(place.service, connection.authData.access_token)).status === 401, 'the expiry');
  const failure = async (promise: Promise<unknown>) => (await rejection(promise)) as Error;

  it('is labelled with the user and the organisation, and holds both', () => {
    expect(connection.label).to.equal('ada in acme');
    expect(connection.authData).to.include({ user_id: 'ada', org_id: 'acme' });
    expect(connection.authData).to.have.all.keys('access_token', 'refresh_token', 'user_id', 'org_id');
  });

  it('works with IDs that are not ASCII', async () => {
    const unusual = await place.zapier.connect(unusualUser);
    expect(unusual.label).to.equal('Zoë in Żółw');
    const zap = await unusual.turnOn({ subscriptionType: 'flow.completed' });
    await place.publish({ orgId: 'Żółw', type: 'flow.completed', id: 'unusual', data: {} });
    expect((await zap.triggeredBy(1)).map(({ id }) => id)).to.deep.equal(['unusual']);
    await zap.turnOff();
  });

  it('is tested: its organisation, and the scope that Zaps need', async () => {
    expect(await connection.run('authentication.test')).to.deep.equal({ user_id: 'ada', org_id: 'acme' });
    const { authData } = connection;
    connection.authData = { ...authData, org_id: 'other' };
    expect((await failure(connection.run('authentication.test'))).message).to.include('different organisation');
    connection.authData = authData;
    expect((await place.admin('/clients/zapier/change', { scopes: ['flows:publish'] })).status).to.equal(200);
    await pause(clientMemoryMs);
    expect((await failure(connection.run('authentication.test'))).message).to.include(
      'do not have the scope listeners',
    );
    expect((await place.admin('/clients/zapier/change', { scopes: ['listeners'] })).status).to.equal(200);
    await pause(clientMemoryMs);
  });

  it('refreshes its tokens when the access token has expired, and continues with the new ones', async () => {
    const first = connection.authData;
    await hasExpired();
    const zap = await connection.turnOn({ subscriptionType: 'flow.completed' });
    expect(zap.subscribeData.id).to.be.a('string');
    const second = connection.authData;
    expect(second.refresh_token).to.not.equal(first.refresh_token);
    expect(second).to.include({ user_id: 'ada', org_id: 'acme' });
    await hasExpired();
    expect(await zap.turnOff()).to.include({ success: true });
    expect(connection.authData.refresh_token).to.not.equal(second.refresh_token);
  });

  it('refreshes its tokens for samples and searches too, which the service would answer without', async () => {
    await place.publish({ type: 'flow.completed', id: 'own', data: {} });
    await until(async () => (await connection.samples({}))[0]?.id === 'own', 'the sample');
    const expire = () => {
      connection.authData = { ...connection.authData, access_token: 'expired' };
    };
    expire();
    expect((await connection.samples({}))[0]).to.include({ id: 'own', orgId: 'acme' });
    expire();
    const found = await connection.run('searches.find_flow_event.operation.perform', { inputData: { id: 'own' } });
    expect(found).to.have.length(1);
  });

  it('has to be made again after an operator has revoked the session', async () => {
    expect((await place.admin('/sessions/revoke', { orgId: 'acme', userId: 'ada' })).status).to.equal(200);
    const { name, message } = await failure(connection.run('authentication.test'));
    expect(name).to.equal('RefreshAuthError');
    expect(message).to.include('has been revoked').and.not.include(connection.authData.refresh_token);
    expect(connection.isStale()).to.equal(true);
  });

  it('outlives a wrong secret of the client, whose refresh is refused with 401', async () => {
    const { CLIENT_SECRET = '' } = process.env;
    await hasExpired();
    process.env.CLIENT_SECRET = `${CLIENT_SECRET}x`;
    try {
      const refused = await failure(connection.run('authentication.test'));
      expect(refused.message).to.include('does not accept the CLIENT_ID and CLIENT_SECRET of this integration');
      expect(connection.isStale()).to.equal(false);
    } finally {
      process.env.CLIENT_SECRET = CLIENT_SECRET;
    }
    await connection.run('authentication.test');
  });

  it('is not made with a wrong secret of the client, and the error names the cause', async () => {
    const { CLIENT_SECRET = '' } = process.env;
    const other = await openZapier({ CLIENT_SECRET: `${CLIENT_SECRET}x` });
    try {
      const refused = await failure(other.connect(documentedUser));
      expect(JSON.parse(refused.message)).to.deep.equal({
        message: 'The service does not accept the CLIENT_ID and CLIENT_SECRET of this integration.',
        code: 'invalid_client',
        status: 503,
      });
    } finally {
      process.env.CLIENT_SECRET = CLIENT_SECRET;
      await other.close();
    }
  });

  it('is not made with a code that has been used, and the error has the service’s reason', async () => {
    const inputData = { code: 'used', redirect_uri: 'https://zapier.com/', code_verifier: 'x'.repeat(43) };
    const run = place.zapier.integration.run('authentication.oauth2Config.getAccessToken', { inputData });
    expect(JSON.parse((await failure(run)).message)).to.include({ code: 'invalid_grant', status: 400 });
  });

  it('is not begun before the three values are set, and the address is one', async () => {
    const { FLOW_HOOKS_URL = '' } = process.env;
    const begin = () => {
      const inputData = { redirect_uri: 'https://zapier.com/', state: '1' };
      return place.zapier.integration.run('authentication.oauth2Config.authorizeUrl', { inputData });
    };
    try {
      delete process.env.FLOW_HOOKS_URL;
      expect((await failure(begin())).message).to.include('This integration is not configured: set FLOW_HOOKS_URL');
      process.env.FLOW_HOOKS_URL = 'hooks.example.com';
      expect((await failure(begin())).message).to.include('FLOW_HOOKS_URL has to begin with https://');
    } finally {
      process.env.FLOW_HOOKS_URL = FLOW_HOOKS_URL;
    }
  });
});
