const { once } = require('node:events');
const { createServer } = require('node:http');
const zapier = require('zapier-platform-core');
const App = require('../index');

/** Data of a connection that Zapier keeps. */
const authData = { access_token: 'token', refresh_token: 'refresh', user_id: 'ada', org_id: 'acme' };

/**
 * A service that answers with these, by method and path, for the time of a test. Returns `run`, which runs a function of the integration as
 * Zapier does, and the requests that the service has got.
 */
async function stubService(t, answers) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    const { status = 200, body, ...extra } = answers[`${method} ${url.split('?')[0]}`] ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json', ...extra }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const FLOW_HOOKS_URL = `http://127.0.0.1:${server.address().port}`;
  Object.assign(process.env, { FLOW_HOOKS_URL, CLIENT_ID: 'zapier', CLIENT_SECRET: 'secret' });
  const tester = zapier.createAppTester(App);
  return { requests, run: (method, bundle) => tester(method, { authData, ...bundle }) };
}

module.exports = { App, stubService };
