import type { IndexDescription } from 'mongodb';
import type { Collections } from './collections.js';

/** Everything else is found by `_id`. */
export const indexes = {
  targets: [
    { name: 'due', key: { nextDue: 1 }, sparse: true },
    // Leasing, where those that have been due longest are of organisations that have enough under way.
    {
      name: 'due_of_organisation',
      key: { orgId: 1, nextDue: 1 },
      partialFilterExpression: { nextDue: { $exists: true } },
    },
    { name: 'due_since', key: { dueSince: 1 }, sparse: true },
    { name: 'breakers', key: { 'health.breaker.openUntil': 1 }, sparse: true },
  ],
  messages: [
    { name: 'in_order', key: { orgId: 1, position: 1 } },
    { name: 'leaving', key: { leaving: 1 }, sparse: true },
  ],
  deliveries: [
    // Leasing and closing gates. What has ended, nearly all after a while, is not in it.
    {
      name: 'waiting',
      key: { state: 1, listenerId: 1, freeAt: 1 },
      partialFilterExpression: { state: 'waiting' },
    },
    { name: 'recheck', key: { recheckAt: 1 }, sparse: true },
    // The log; and, read backwards, the order in which an ordered hook gets what waits.
    { name: 'log_of_organisation', key: { orgId: 1, state: 1, position: -1, _id: -1 } },
    { name: 'log_of_listener', key: { listenerId: 1, state: 1, position: -1, _id: -1 } },
    {
      name: 'log_of_replay',
      key: { replay: 1, state: 1, position: -1, _id: -1 },
      partialFilterExpression: { replay: { $exists: true } },
    },
    { name: 'ended', key: { endedAt: 1 }, sparse: true },
  ],
  days: [{ name: 'by_day', key: { orgId: 1, day: 1, listenerId: 1 } }],
} as const satisfies Partial<Record<keyof Collections, readonly IndexDescription[]>>;

/** What earlier versions made for themselves. */
export const outdatedIndexes = { deliveries: ['of_organisation', 'of_listener'] } as const;
