import type Database from 'better-sqlite3';
import type { Lease, LeasedDelivery, LeaseRequest } from '../delivery-queue.js';
import type { OnRollback } from './grouped-calls.js';
import type { Leases } from './leases.js';

type Hook = {
  readonly key: number;
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly keyGeneration: string;
  readonly secretVersion: number;
  readonly nextDue: number;
};

type Row = {
  readonly id: string;
  readonly webhookId: string;
  readonly attempts: number;
  readonly enqueuedAt: number;
  readonly message: number;
};
type MessageRow = { readonly eventId: string; readonly eventType: string; readonly body: string };

/** What a look into one hook's waiting deliveries found: what is free and due, and when there is more. */
type Look = { readonly due: readonly number[]; readonly nextDueAt: number | undefined };

/** Finds and leases what is due; within a transaction that the caller has begun, though it writes nothing. */
export function leaseTaker(
  database: Database.Database,
  leases: Leases,
): (request: LeaseRequest, onRollback: OnRollback) => Lease {
  const hooks = database.prepare<[number], Hook>(
    `SELECT key, listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, key_generation AS keyGeneration,
       secret_version AS secretVersion, next_due AS nextDue
     FROM listeners WHERE next_due IS NOT NULL ORDER BY next_due LIMIT ?`,
  );
  const waitingOf = database
    .prepare<[number, number], [key: number, dueAt: number]>(
      'SELECT key, due_at FROM deliveries WHERE listener = ? AND state = 0 ORDER BY due_at, key LIMIT ?',
    )
    .raw();
  const findDelivery = database.prepare<[number], Row>(
    `SELECT id, webhook_id AS webhookId, attempts, enqueued_at AS enqueuedAt, message FROM deliveries WHERE key = ?`,
  );
  const findMessage = database.prepare<[number], MessageRow>(
    'SELECT event_id AS eventId, type AS eventType, body FROM messages WHERE key = ?',
  );

  /** Looks at `room` deliveries beyond those under lease, and one more to know what comes next. */
  function look(hook: Hook, room: number, now: number): Look {
    const due: number[] = [];
    let leaseEnds: number | undefined;
    for (const [key, dueAt] of waitingOf.all(hook.key, leases.countOf(hook.key) + room + 1)) {
      const until = leases.until(key);
      if (until !== undefined) leaseEnds = earlier(leaseEnds, until);
      else if (dueAt > now) return { due, nextDueAt: earlier(leaseEnds, dueAt) };
      else if (due.push(key) > room) return { due: due.slice(0, room), nextDueAt: now };
    }
    return { due, nextDueAt: leaseEnds };
  }

  return ({ limit, perListener, underWay, leaseMs, now }, onRollback) => {
    leases.expire(now);
    const lease = leases.next();
    const deliveries: LeasedDelivery[] = [];
    const messages = new Map<number, MessageRow>();
    let nextDueAt: number | undefined;

    function take(hook: Hook, key: number): void {
      const row = findDelivery.get(key) as Row; // the index has just named it
      const { id, webhookId, attempts, enqueuedAt } = row;
      const message = messages.get(row.message) ?? (findMessage.get(row.message) as MessageRow); // as above
      messages.set(row.message, message);
      leases.hold(id, { delivery: key, listener: hook.key, lease, until: now + leaseMs });
      onRollback(() => leases.drop(id));
      const { listenerId, orgId, hookUrl, keyGeneration, secretVersion } = hook;
      deliveries.push({
        ...{ id, webhookId, lease, attempt: attempts + 1, enqueuedAt },
        ...{ listenerId, orgId, hookUrl, keyGeneration, secretVersion },
        ...message,
      });
    }

    // Those passed over are hooks that somebody works for, so there are no more of them than workers have slots.
    for (const hook of hooks.all(limit + leases.listeners + underWay.size + 1)) {
      if (hook.nextDue > now) {
        nextDueAt = earlier(nextDueAt, hook.nextDue);
        break;
      }
      const left = limit - deliveries.length;
      const share = perListener - (underWay.get(hook.listenerId) ?? 0);
      if (share <= 0) continue;
      if (left === 0) {
        nextDueAt = now;
        break;
      }
      const found = look(hook, Math.min(left, share), now);
      for (const key of found.due) take(hook, key);
      // What is beyond the hook's own share waits for its attempts to end, not for a time.
      if (found.due.length < share) nextDueAt = earlier(nextDueAt, found.nextDueAt);
    }
    return { deliveries, nextDueAt };
  };
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;
