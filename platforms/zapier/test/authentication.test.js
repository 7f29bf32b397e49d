const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { App, stubService } = require('./stub-service');

const { oauth2Config, test } = App.authentication;
const tokens = { access_token: 'new', refresh_token: 'next', user_id: 'ada', org_id: 'acme' };

describe('authentication', () => {
  it('sends users to the sign-in of the service', async (t) => {
    const { run } = await stubService(t, {});
    const inputData = { redirect_uri: 'https://zapier.com/', state: '1' };
    const url = new URL(await run(oauth2Config.authorizeUrl, { inputData }));
    assert.equal(url.pathname, '/oauth2');
    assert.equal(url.searchParams.get('client_id'), 'zapier');
  });

  it('exchanges the code, and refreshes both tokens', async (t) => {
    const { run, requests } = await stubService(t, {
      'POST /access': { body: tokens },
      'POST /refresh': { body: tokens },
    });
    assert.deepEqual(await run(oauth2Config.getAccessToken, { inputData: { code: 'c', redirect_uri: 'r' } }), tokens);
    assert.deepEqual(await run(oauth2Config.refreshAccessToken), tokens);
    assert.match(requests[1].body, /refresh_token=refresh/);
  });

  it('asks users to connect again only when the session has ended', async (t) => {
    const ended = { status: 400, body: { error: 'invalid_grant', error_description: 'revoked' } };
    const { run } = await stubService(t, { 'POST /refresh': ended });
    await assert.rejects(run(oauth2Config.refreshAccessToken), { name: 'RefreshAuthError' });
  });

  it('is tested with the identity of the user', async (t) => {
    const { run, requests } = await stubService(t, { 'GET /test': { body: { success: 1 } } });
    assert.deepEqual(await run(test), { user_id: 'ada', org_id: 'acme' });
    const { authorization, orgid, userid } = requests[0].headers;
    assert.deepEqual([authorization, orgid, userid], ['Bearer token', 'acme', 'ada']);
  });
});
