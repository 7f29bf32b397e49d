import { expect } from 'chai';
import type { ReachableService } from './service.js';

export type Tokens = { access_token: string; refresh_token: string };
export type Subscription = {
  id: string;
  listenerId: string;
  signingSecret: string;
  signingPublicKey: string;
};

export const orgIdOf = ({ orgId = 'acme' }: ReachableService): string => orgId;

// The steps of the main story, each as a platform or an app takes it, against a running service.

/** Signs in on the development page as a browser would, and exchanges the code. */
export async function signIn(
  service: ReachableService,
  { orgId = orgIdOf(service), userId = 'ada' } = {},
): Promise<Tokens> {
  const code = await signedCode(service, { orgId, userId });
  const { status, body } = await exchange(service, code);
  expect(status).to.equal(200);
  return body as Tokens;
}

export async function signedCode(
  service: ReachableService,
  { orgId = orgIdOf(service), userId = 'ada' } = {},
): Promise<string> {
  const redirect_uri = 'https://platform.example/callback?kept=1';
  const { headers } = await service.fetch('/sign-in', {
    form: { org_id: orgId, user_id: userId, redirect_uri, state: 'abc' },
  });
  const location = new URL(headers.get('location') ?? '');
  expect(location.searchParams.get('state')).to.equal('abc');
  expect(location.searchParams.get('kept')).to.equal('1');
  return location.searchParams.get('code') ?? '';
}

export const exchange = (service: ReachableService, code: string) =>
  service.fetch('/access', { form: { grant_type: 'authorization_code', code } });

export const refresh = (service: ReachableService, refresh_token: string) =>
  service.fetch('/refresh', { json: { grant_type: 'refresh_token', refresh_token } });

export const probe = (service: ReachableService, token: string) =>
  service.fetch('/test', { headers: { authorization: `Bearer ${token}` } });

type SubscribeOptions = {
  orgId?: string;
  userId?: string;
  subscriptionType?: string;
  ordered?: boolean;
  filter?: object;
  transform?: string;
  description?: string;
  signedWithKeyPair?: boolean;
};

export async function subscribe(
  service: ReachableService,
  hookUrl: string,
  {
    orgId = orgIdOf(service),
    userId = 'ada',
    subscriptionType = 'flow.*',
    ordered = false,
    ...selection
  }: SubscribeOptions = {},
): Promise<Subscription> {
  const { status, body } = await service.fetch('/api/hooks/subscribe/flows', {
    headers: { orgid: orgId, userid: userId },
    json: { hookUrl, subscriptionType, ...(ordered && { ordered }), ...selection },
  });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body as Subscription;
}

export const unsubscribe = (service: ReachableService, hookUrl: string, orgId = orgIdOf(service)) =>
  service.fetch('/api/hooks/unsubscribe/flows', { headers: { orgId }, json: { hookUrl } });

export async function publish(service: ReachableService, event: object): Promise<string> {
  const { status, body } = await service.fetch('/api/flows', { json: { orgId: orgIdOf(service), ...event } });
  expect(status, JSON.stringify(body)).to.equal(202);
  return (body as { id: string }).id;
}
