import { expect } from 'chai';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import {
  exchange,
  probe,
  publish,
  refresh,
  signedCode,
  signIn,
  subscribe,
  unsubscribe,
} from '../support/service/journey.js';
import { rawRequest } from '../support/service/raw-request.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';

const json = ['Content-Type', 'application/json'] as const;

describe('the routes of the specification', () => {
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  const isFlatError = (body: unknown) => {
    expect(body).to.have.keys('error', 'message', 'requestId');
    expect(JSON.stringify(body)).not.to.match(/node_modules|\.js:\d|\\n +at /);
  };

  describe('GET /oauth2', () => {
    it('redirects to the login page with the query unchanged, byte for byte', async () => {
      const query =
        'state=a%20b+c&x=1&x=2&empty=&flag&redirect_uri=https%3A%2F%2Fp.example%2Fcb%3Fq%3D1&%C3%A9=%e2%82%ac';
      const { status, headers } = await rawRequest(service.port, `/oauth2?${query}`);
      expect(status).to.equal(302);
      expect(headers.location).to.equal(`${service.origin}/sign-in?${query}`);
    });
  });

  describe('POST /access', () => {
    it('returns tokens for a code in the format of RFC 6749, and forbids caching', async () => {
      const { status, body, headers } = await exchange(service, await signedCode(service));
      expect(status).to.equal(200);
      expect(body).to.include({ user_id: 'ada', org_id: service.orgId, token_type: 'Bearer', expires_in: 3600 });
      expect(body).to.include.keys('access_token', 'refresh_token');
      expect(headers.get('cache-control')).to.include('no-store');
    });

    it('accepts a code once: the second use is refused and revokes the tokens of the first', async () => {
      const code = await signedCode(service);
      const first = (await exchange(service, code)).body as { access_token: string };
      const second = await exchange(service, code);
      expect(second.status).to.equal(400);
      expect(second.body).to.include({ error: 'invalid_grant' });
      expect((await probe(service, first.access_token)).status).to.equal(401);
    });

    it('answers one of twenty concurrent exchanges of a code with tokens, which the others revoke', async () => {
      const code = await signedCode(service);
      const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(service, code)));
      const [first, ...others] = answers.toSorted((one, other) => one.status - other.status);
      if (first?.status !== 200) throw new Error('none got tokens');
      expect(others.map(({ status }) => status)).to.deep.equal(Array(19).fill(400));
      for (const { body } of others) expect(body).to.include({ error: 'invalid_grant' });
      const { access_token } = first.body as { access_token: string };
      expect((await probe(service, access_token)).status).to.equal(401);
    });

    it('answers errors in the format of RFC 6749 §5.2', async () => {
      const post = (form: Record<string, string>) => service.fetch('/access', { form });
      const errorOf = async (form: Record<string, string>) => {
        const { status, body } = await post(form);
        expect(status).to.equal(400);
        expect(body).to.include.keys('error', 'error_description');
        return (body as { error: string }).error;
      };
      expect(await errorOf({ grant_type: 'authorization_code', code: 'garbage' })).to.equal('invalid_grant');
      expect(await errorOf({ grant_type: 'authorization_code' })).to.equal('invalid_request');
      expect(await errorOf({ code: 'x' })).to.equal('invalid_request');
      expect(await errorOf({ grant_type: 'password', code: 'x' })).to.equal('unsupported_grant_type');
    });

    it('answers a body that is not JSON with invalid_request', async () => {
      const { status, body } = await rawRequest(service.port, '/access', [json], { method: 'POST', body: '{"code":' });
      expect(status).to.equal(400);
      expect(body).to.include({ error: 'invalid_request' });
    });
  });

  describe('POST /refresh', () => {
    it('returns new tokens for a request in JSON or as a form', async () => {
      const tokens = await signIn(service);
      const { status, body } = await refresh(service, tokens.refresh_token);
      expect(status).to.equal(200);
      expect(body).to.include.keys('access_token', 'refresh_token', 'token_type', 'expires_in');
      const next = body as typeof tokens;
      expect(next.refresh_token).not.to.equal(tokens.refresh_token);
      const asForm = await service.fetch('/refresh', {
        form: { grant_type: 'refresh_token', refresh_token: next.refresh_token, client_id: 'zapier' },
      });
      expect(asForm.status).to.equal(200);
    });

    it('answers concurrent refreshes with one token with the same valid successor', async () => {
      const tokens = await signIn(service);
      const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(service, tokens.refresh_token)));
      expect(answers.map(({ status }) => status)).to.eql(Array.from({ length: 8 }, () => 200));
      const successors = new Set(answers.map(({ body }) => (body as typeof tokens).refresh_token));
      expect(successors.size).to.equal(1);
      expect((await refresh(service, [...successors][0] ?? '')).status).to.equal(200);
    });

    it('revokes the session when a token older than the predecessor is presented', async () => {
      const first = await signIn(service);
      const second = (await refresh(service, first.refresh_token)).body as typeof first;
      const third = (await refresh(service, second.refresh_token)).body as typeof first;
      expect((await refresh(service, first.refresh_token)).body).to.include({ error: 'invalid_grant' });
      expect((await refresh(service, third.refresh_token)).body).to.include({ error: 'invalid_grant' });
      expect((await probe(service, third.access_token)).status).to.equal(401);
    });
  });

  describe('GET /test', () => {
    it('answers {"success": 1} to an access token', async () => {
      const { access_token } = await signIn(service);
      expect(await probe(service, access_token)).to.deep.include({ status: 200, body: { success: 1 } });
    });

    it('answers 401 with WWW-Authenticate otherwise', async () => {
      const without = await service.fetch('/test');
      expect(without.status).to.equal(401);
      expect(without.headers.get('www-authenticate'))
        .to.match(/^Bearer/)
        .and.not.to.include('error=');
      const bad = await probe(service, 'nonsense');
      expect(bad.status).to.equal(401);
      expect(bad.headers.get('www-authenticate')).to.include('error="invalid_token"');
      isFlatError(bad.body);
    });
  });

  describe('POST {prefix}/subscribe/flows', () => {
    it('answers 201 with the id under both names, the secret and a message', async () => {
      const body = await subscribe(service, `${receiver.origin}/s1`);
      expect(body.id).to.equal(body.listenerId);
      expect(body.signingSecret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(body).to.include.keys('message');
    });

    it('answers a repeat of a listener with the same body, also to another user', async () => {
      const first = await subscribe(service, `${receiver.origin}/s2`);
      const again = await subscribe(service, `${receiver.origin}/s2#fragment`, { userId: 'bob' });
      expect(again).to.include({ listenerId: first.listenerId, signingSecret: first.signingSecret });
    });

    it('gives a new id after an unsubscribe, and keeps it through a change of type', async () => {
      const first = await subscribe(service, `${receiver.origin}/s3`);
      const changed = await subscribe(service, `${receiver.origin}/s3`, { subscriptionType: '*' });
      expect(changed.listenerId).to.equal(first.listenerId);
      await unsubscribe(service, `${receiver.origin}/s3`);
      expect((await subscribe(service, `${receiver.origin}/s3`)).listenerId).not.to.equal(first.listenerId);
    });

    const wrong: [what: string, headers: Record<string, string>, body: unknown][] = [
      ['no orgid', { userid: 'ada' }, { hookUrl: 'http://127.0.0.1:1/', subscriptionType: '*' }],
      ['no userid', { orgid: 'acme' }, { hookUrl: 'http://127.0.0.1:1/', subscriptionType: '*' }],
      ['no hookUrl', { orgid: 'acme', userid: 'ada' }, { subscriptionType: '*' }],
      ['a relative hookUrl', { orgid: 'acme', userid: 'ada' }, { hookUrl: '/x', subscriptionType: '*' }],
      ['an ftp hookUrl', { orgid: 'acme', userid: 'ada' }, { hookUrl: 'ftp://x/', subscriptionType: '*' }],
      [
        'a hookUrl in a private network',
        { orgid: 'acme', userid: 'ada' },
        { hookUrl: 'http://10.0.0.1/', subscriptionType: '*' },
      ],
      ['no subscriptionType', { orgid: 'acme', userid: 'ada' }, { hookUrl: 'http://127.0.0.1:1/' }],
      [
        'a number as subscriptionType',
        { orgid: 'acme', userid: 'ada' },
        { hookUrl: 'http://127.0.0.1:1/', subscriptionType: 1 },
      ],
      ['an array', { orgid: 'acme', userid: 'ada' }, []],
    ];
    for (const [what, headers, body] of wrong) {
      it(`answers 400 with the reason to ${what}`, async () => {
        const answer = await service.fetch('/api/hooks/subscribe/flows', { headers, json: body });
        expect(answer.status).to.equal(400);
        isFlatError(answer.body);
      });
    }
  });

  describe('POST {prefix}/unsubscribe/flows', () => {
    it('answers 200 again for an unsubscribed listener, with orgid or orgId', async () => {
      await subscribe(service, `${receiver.origin}/u1`);
      for (const name of ['orgid', 'orgId', 'ORGID']) {
        const { status, body } = await rawRequest(
          service.port,
          '/api/hooks/unsubscribe/flows',
          [[name, service.orgId], json],
          {
            method: 'POST',
            body: JSON.stringify({ hookUrl: `${receiver.origin}/u1` }),
          },
        );
        expect(status).to.equal(200);
        expect(body).to.include({ success: true }).and.to.include.keys('message');
      }
    });

    it('answers 500 with a message for a listener that was never registered, or of another organisation', async () => {
      await subscribe(service, `${receiver.origin}/u2`);
      for (const [url, orgId] of [
        ['/never', service.orgId],
        ['/u2', organisation()],
      ] as const) {
        const { status, body } = await unsubscribe(service, `${receiver.origin}${url}`, orgId);
        expect(status).to.equal(500);
        isFlatError(body);
        expect(body).to.include({ error: 'listener_not_found' });
      }
    });
  });

  describe('GET {prefix}/perform-list', () => {
    it('answers 201 with samples that have unique ids and the shape of a delivery, for any Authorization header', async () => {
      const { status, body } = await service.fetch('/api/hooks/perform-list', {
        headers: { authorization: 'Bearer bad' },
      });
      expect(status).to.equal(201);
      const samples = body as Record<string, unknown>[];
      expect(samples).not.to.have.length(0);
      expect(new Set(samples.map(({ id }) => id)).size).to.equal(samples.length);

      await subscribe(service, `${receiver.origin}/shape`);
      await publish(service, { type: 'flow.completed', data: { n: 1 } });
      const [delivered] = await receiver.has(1);
      for (const sample of samples) {
        expect(Object.keys(sample)).to.eql(Object.keys(JSON.parse(delivered?.body ?? '') as object));
      }
    });
  });

  describe('POST /api/flows', () => {
    it('answers 202 to a repeat with the same id, and keeps the first event', async () => {
      const id = await publish(service, { id: 'order-7', type: 'flow.completed', data: { n: 1 } });
      expect(await publish(service, { id: 'order-7', type: 'flow.completed', data: { n: 2 } })).to.equal(id);
    });

    it('answers 413 to an event over the limit, and 400 to one without a type', async () => {
      const large = await service.fetch('/api/flows', {
        json: { orgId: service.orgId, type: 'flow.completed', data: { text: 'x'.repeat(300_000) } },
      });
      expect(large.status).to.equal(413);
      isFlatError(large.body);
      const untyped = await service.fetch('/api/flows', { json: { orgId: service.orgId, data: {} } });
      expect(untyped.status).to.equal(400);
    });
  });

  it('answers 404 to an unknown path and 405 with Allow to another method, with the usual error body', async () => {
    const nothing = await service.fetch('/nothing');
    expect(nothing.status).to.equal(404);
    isFlatError(nothing.body);
    const method = await service.fetch('/access');
    expect(method.status).to.equal(405);
    expect(method.headers.get('allow')).to.include('POST');
  });
});
