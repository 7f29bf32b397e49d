import type { ListenerEvent, SigningSecret, Subscription } from '../../src/events/listener-events.js';
import type { SubscriptionChange } from '../../src/listeners/changed-subscription.js';
import { defaultFailingPolicy, noticeFailingListener } from '../../src/listeners/commands/failing-listener.js';
import {
  type ChangeListenerOptions,
  changeListenerOptions,
  pauseListener,
  type RotateListenerSecret,
  resumeListener,
  rotateListenerSecret,
  type UnsubscribeListener,
  unsubscribeListener,
} from '../../src/listeners/commands/listener-commands.js';
import {
  type ImportListener,
  importListener,
  type SubscribeListener,
  subscribeListener,
} from '../../src/listeners/commands/subscribe-listener.js';
import type { Listener, ListenerDetails } from '../../src/listeners/listener.js';

export const firstId = '11111111-1111-4111-8111-111111111111';
export const nextId = '22222222-2222-4222-8222-222222222222';

/** The subscription of a listener for which nothing else matters. */
export const plainSubscription: Subscription = {
  subscriptionType: 'flow.*',
  filter: null,
  transform: null,
  ordered: false,
  ratePerSecond: null,
  description: null,
  signedWithKeyPair: false,
};

/** A listener with other fields, those of its subscription beside its own. */
export function detailsWith<Details extends { subscription: SubscriptionChange }>(
  { subscription, ...details }: Details,
  overrides: Partial<Details> & SubscriptionChange,
): Details {
  const isOfSubscription = ([name]: readonly [string, unknown]) => name in plainSubscription;
  const all = Object.entries(overrides);
  return {
    ...details,
    ...Object.fromEntries(all.filter((each) => !isOfSubscription(each))),
    subscription: { ...subscription, ...Object.fromEntries(all.filter(isOfSubscription)) },
  } as Details; // with the fields of both
}

export const secretOf = (version: number, fields: Partial<SigningSecret> = {}): SigningSecret => ({
  keyGeneration: 'g1',
  version,
  previous: null,
  ...fields,
});

export const details: ListenerDetails = {
  listenerId: firstId,
  orgId: 'org-1',
  userId: 'user-1',
  hookUrl: 'https://hooks.example.com/1',
  subscription: plainSubscription,
  secret: secretOf(1),
  failing: null,
};

/** The time of the commands. */
export const now = new Date('2026-02-03T04:05:06.789Z');
/** The failing state after a resume. */
export const forgiven = { since: now.toISOString(), failures: 0, percent: 0 };

type Registered = Partial<ListenerDetails> & SubscriptionChange;
type Since = { since: number };

const data = ({ since, ...overrides }: Registered & Since) => ({
  ...detailsWith(details, overrides),
  since: String(since),
});

export const subscribed = (overrides: Registered = {}): ListenerEvent => ({
  type: 'ListenerSubscribed',
  data: detailsWith(details, overrides),
});

/** `from`: the previous subscription type, or the previous fields. */
export const subscriptionChanged = ({
  from = {},
  paused = false,
  ...rest
}: Registered & Since & { from?: string | SubscriptionChange; paused?: boolean }): ListenerEvent => {
  const { subscription: previous } = detailsWith(details, typeof from === 'string' ? { subscriptionType: from } : from);
  return { type: 'ListenerSubscriptionChanged', data: { ...data(rest), previous, paused } };
};

export const paused = ({
  reason = 'operator',
  ...period
}: Registered & Since & { reason?: 'operator' | 'failing' }): ListenerEvent => ({
  type: 'ListenerPaused',
  data: { ...data(period), reason },
});

export const failing = ({
  failing,
  ...period
}: Registered & Since & { failing: NonNullable<ListenerDetails['failing']> }): ListenerEvent => ({
  type: 'ListenerFailing',
  data: { ...data(period), failing },
});

type Resumed = { redeliverHeld?: true; circuitClosed?: true };

export const resumed = ({ redeliverHeld, circuitClosed, ...period }: Registered & Since & Resumed): ListenerEvent => ({
  type: 'ListenerResumed',
  data: {
    ...data({ failing: forgiven, ...period }),
    ...(redeliverHeld && { redeliverHeld }),
    ...(circuitClosed && { circuitClosed }),
  },
});

export const secretRotated = ({ paused, ...rest }: Registered & Since & { paused: boolean }): ListenerEvent => ({
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

/** Subscribes; by default a new listener with the ID `nextId` and an active task. */
export const subscribe =
  (overrides: Partial<SubscribeListener> & SubscriptionChange = {}): Decide =>
  (listener) => {
    const { orgId, userId, hookUrl } = details;
    const task = { state: 'active', orgId: null, name: 'default' } as const;
    const command = {
      orgId,
      userId,
      hookUrl,
      subscription: { subscriptionType: 'flow.*', filter: null, transform: null },
      listenerId: nextId,
      keyGeneration: 'g1',
      task,
      defaults: { ordered: false, ratePerSecond: null },
      now,
    };
    return subscribeListener(detailsWith<SubscribeListener>(command, overrides), listener);
  };

/** Works as `subscribe`, for an import from another system. */
export const importing =
  (overrides: Partial<ImportListener> = {}): Decide =>
  (listener) => {
    const { orgId, userId, hookUrl } = details;
    const task = { state: 'active', orgId: null, name: 'default' } as const;
    const subscription = { subscriptionType: 'flow.*', filter: null, transform: null };
    const defaults = { ordered: false, ratePerSecond: null };
    const command = { orgId, userId, hookUrl, subscription, defaults, listenerId: nextId, keyGeneration: 'g1', task };
    return importListener({ ...command, beganAt: null, ...overrides }, listener);
  };

export const unsubscribe =
  (overrides: Partial<UnsubscribeListener> = {}): Decide =>
  (listener) =>
    unsubscribeListener({ reason: 'requested', ...overrides }, listener);

export const pause =
  (listenerId = firstId): Decide =>
  (listener) =>
    pauseListener({ listenerId }, listener);

export const resume =
  (listenerId = firstId, redeliverHeld = false): Decide =>
  (listener) =>
    resumeListener({ listenerId, now, redeliverHeld }, listener);

/** Rotates a secret, by default without an overlap. */
export const rotateSecret =
  (overrides: Partial<RotateListenerSecret> = {}): Decide =>
  (listener) =>
    rotateListenerSecret({ listenerId: firstId, keyGeneration: 'g1', overlapMs: 0, now, ...overrides }, listener);

type Noticed = Parameters<typeof noticeFailingListener>[0];

export const noticeFailing =
  (overrides: Partial<Noticed> & Pick<Noticed, 'failing'>): Decide =>
  (listener) =>
    noticeFailingListener({ listenerId: firstId, policy: defaultFailingPolicy, now, ...overrides }, listener);

export const changeOptions =
  (options: ChangeListenerOptions['options'], listenerId = firstId): Decide =>
  (listener) =>
    changeListenerOptions({ listenerId, options }, listener);
