import type { ListenerEvent } from '../../src/listeners/events.js';
import type { Listener, Registration } from '../../src/listeners/listener.js';
import { pauseListener } from '../../src/listeners/pause-listener.js';
import { resumeListener } from '../../src/listeners/resume-listener.js';
import { rotateListenerSecret } from '../../src/listeners/rotate-listener-secret.js';
import { type SubscribeListener, subscribeListener } from '../../src/listeners/subscribe-listener.js';
import { type UnsubscribeListener, unsubscribeListener } from '../../src/listeners/unsubscribe-listener.js';

export const firstId = '11111111-1111-4111-8111-111111111111';
export const nextId = '22222222-2222-4222-8222-222222222222';

export const registration: Registration = {
  listenerId: firstId,
  orgId: 'org-1',
  userId: 'user-1',
  hookUrl: 'https://hooks.example.com/1',
  subscriptionType: 'flow.*',
  keyGeneration: 'g1',
  secretVersion: 1,
};

type Registered = Partial<Registration>;
type Since = { readonly since: number };

const data = ({ since, ...overrides }: Registered & Since) => ({
  ...registration,
  ...overrides,
  since: String(since),
});

export const subscribed = (overrides: Registered = {}): ListenerEvent => ({
  type: 'ListenerSubscribed',
  data: { ...registration, ...overrides },
});

export const subscriptionChanged = ({
  from,
  ...rest
}: Registered & Since & { readonly from: string }): ListenerEvent => ({
  type: 'ListenerSubscriptionChanged',
  data: { ...data(rest), previousSubscriptionType: from },
});

export const paused = (period: Registered & Since): ListenerEvent => ({
  type: 'ListenerPaused',
  data: { ...data(period), reason: 'too many failures' },
});

export const resumed = (period: Registered & Since): ListenerEvent => ({ type: 'ListenerResumed', data: data(period) });

export const secretRotated = ({
  paused,
  ...rest
}: Registered & Since & { readonly paused: boolean }): ListenerEvent => ({
  type: 'ListenerSecretRotated',
  data: { ...data(rest), paused },
});

export const unsubscribed = ({
  reason = 'requested',
  ...rest
}: Registered & Since & Partial<UnsubscribeListener>): ListenerEvent => ({
  type: 'ListenerUnsubscribed',
  data: { ...data(rest), reason },
});

type Decide = (listener: Listener) => ListenerEvent[];

/** What comes is a new registration of `nextId`, under an active task, unless said otherwise. */
export const subscribe =
  (overrides: Partial<SubscribeListener> = {}): Decide =>
  (listener) => {
    const { orgId, userId, hookUrl, subscriptionType } = registration;
    const task = { state: 'active', orgId: null, name: 'default' } as const;
    const command = { orgId, userId, hookUrl, subscriptionType, listenerId: nextId, keyGeneration: 'g1', task };
    return subscribeListener({ ...command, ...overrides }, listener);
  };

export const unsubscribe =
  (overrides: Partial<UnsubscribeListener> = {}): Decide =>
  (listener) =>
    unsubscribeListener({ reason: 'requested', ...overrides }, listener);

export const pause = (): Decide => (listener) => pauseListener({ reason: 'too many failures' }, listener);

export const resume = (): Decide => resumeListener;

export const rotateSecret =
  (keyGeneration = 'g1'): Decide =>
  (listener) =>
    rotateListenerSecret({ keyGeneration }, listener);
