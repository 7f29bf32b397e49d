import { expect } from 'chai';
import { rejection } from '../../support/rejection.js';
import { serve, type TestServer } from '../../support/serve.js';
import { loadIntegration } from '../../support/zapier/integration.js';

type Answer = { status: number; headers?: Readonly<Record<string, string>>; body: string };

describe('errors of the Zapier integration', () => {
  const integration = loadIntegration();
  const authData = { access_token: 'secret-a', refresh_token: 'secret-r', user_id: 'ada', org_id: 'acme' };
  let server: TestServer;
  let answer: Answer;

  before(async () => {
    server = await serve((response) =>
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body),
    );
    process.env.FLOW_HOOKS_URL = `${server.origin}/`;
    Object.assign(process.env, { CLIENT_ID: 'zapier', CLIENT_SECRET: 'secret' });
  });
  after(() => server.close());

  async function errorOf(method: string, next: Answer): Promise<Error> {
    answer = next;
    const listener = method.startsWith('triggers') && { targetUrl: 'https://hooks.example.com/secret-listener' };
    const bundle = { authData, inputData: {}, ...listener };
    const error = (await rejection(integration.run(method, bundle))) as Error;
    expect(error.message).to.not.include('secret-');
    return error;
  }
  const refreshing = 'authentication.oauth2Config.refreshAccessToken';
  const subscribing = 'triggers.flow_event.operation.performSubscribe';
  const refused = (error: string) => JSON.stringify({ error, message: `the reason of ${error}`, requestId: 'r' });

  it('ask Zapier to repeat later after 429 and temporary failures', async () => {
    for (const [status, code] of [
      [429, 'too_many_requests'],
      [500, 'store_unavailable'],
      [503, 'store_unavailable'],
    ] as const) {
      const { name, message } = await errorOf(subscribing, {
        status,
        headers: { 'retry-after': '7' },
        body: refused(code),
      });
      expect(name, `${status}`).to.equal('ThrottledError');
      expect(JSON.parse(message)).to.deep.equal({ message: `the reason of ${code}`, delay: 7 });
    }
  });

  it('name the variable that went missing after users had connected', async () => {
    const { FLOW_HOOKS_URL, CLIENT_SECRET } = process.env;
    const text = /This integration is not configured: set (.*) with zapier-platform env:set/;
    try {
      delete process.env.CLIENT_SECRET;
      for (const requestingTokens of [refreshing, 'authentication.oauth2Config.getAccessToken'])
        expect((await errorOf(requestingTokens, { status: 200, body: '{}' })).message)
          .to.match(text)
          .and.include('set CLIENT_SECRET with');
      delete process.env.FLOW_HOOKS_URL;
      for (const method of ['authentication.test', subscribing, 'triggers.subscription_type.operation.perform'])
        expect((await errorOf(method, { status: 200, body: '{}' })).message, method)
          .to.match(text)
          .and.include('set FLOW_HOOKS_URL with');
      process.env.FLOW_HOOKS_URL = 'hooks.example.com';
      expect((await errorOf('authentication.test', { status: 200, body: '{}' })).message).to.include(
        'FLOW_HOOKS_URL has to begin with https://',
      );
    } finally {
      Object.assign(process.env, { FLOW_HOOKS_URL, CLIENT_SECRET });
    }
  });

  it('tell the user the service’s reason for all others, also for one listener too many', async () => {
    for (const [status, code] of [
      [400, 'target_not_allowed'],
      [403, 'forbidden'],
      [429, 'too_many_listeners'],
      [500, 'integration_task_inactive'],
    ] as const) {
      const headers: Readonly<Record<string, string>> = status === 429 ? { 'retry-after': '1' } : {};
      const { name, message } = await errorOf(subscribing, { status, headers, body: refused(code) });
      expect(name).to.equal('AppError');
      expect(JSON.parse(message)).to.deep.equal({ message: `the reason of ${code}`, code, status });
    }
  });

  it('name the status if the answer is not the service’s', async () => {
    for (const body of ['<html>Bad Gateway</html>', '"text"', 'null', '[]']) {
      const { message } = await errorOf(subscribing, { status: 502, body });
      expect(JSON.parse(message)).to.deep.include({ message: 'The service answered with status 502.', status: 502 });
    }
  });

  it('say that the answer to the test of a connection is not one of the service', async () => {
    for (const body of ['<html>Welcome</html>', '{}', '{"success": true}', 'null']) {
      const { message } = await errorOf('authentication.test', { status: 200, body });
      expect(message, body).to.include('There is no Flow Hooks service at FLOW_HOOKS_URL');
    }
  });

  it('are raised for a listener that could not be removed', async () => {
    const removing = 'triggers.flow_event.operation.performUnsubscribe';
    const { message } = await errorOf(removing, { status: 403, body: refused('forbidden') });
    expect(JSON.parse(message)).to.include({ code: 'forbidden' });
  });

  const refusedRefresh = (error: string) => JSON.stringify({ error, error_description: `the reason of ${error}` });

  it('end a connection only if its refresh token is no longer valid', async () => {
    const ended = await errorOf(refreshing, { status: 400, body: refusedRefresh('invalid_grant') });
    expect(ended.name).to.equal('RefreshAuthError');
    expect(ended.message).to.match(/^the reason of invalid_grant\n/);
  });

  it('have a status after which Zapier keeps the connection and tries again, if a refresh fails otherwise', async () => {
    for (const [status, code, reported] of [
      [400, 'invalid_request', 503],
      [401, 'invalid_client', 503],
      [413, 'invalid_request', 503],
      [429, 'temporarily_unavailable', 429],
      [503, 'temporarily_unavailable', 503],
    ] as const) {
      const { name, message } = await errorOf(refreshing, { status, body: refusedRefresh(code) });
      expect(name, code).to.equal('AppError');
      expect(JSON.parse(message), code).to.include({ code, status: reported });
    }
    const { message } = await errorOf(refreshing, { status: 404, body: '<html>Not Found</html>' });
    expect(JSON.parse(message)).to.include({ message: 'The service answered with status 404.', status: 503 });
  });
});
