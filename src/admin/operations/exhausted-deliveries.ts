import { uuidV5 } from '../../kernel/uuid.js';
import { listenerStream } from '../../listeners/listener.js';
import { currentListener } from '../../listeners/queries/registered-listeners.js';
import { minuteMs } from '../../queue/policy/activity.js';
import { positionOf } from '../../queue/reader-positions.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import { type Following, type OperationalEventsSettings, operationalCopies } from './operational-copies.js';
import { isOperationalListener, listenerFacts } from './operational-event.js';

/** Reader whose checkpoint is the last minute since 1970 that was counted. */
const reader = 'operational-minutes';
/** Instances record outcomes up to this time later, by clocks that differ. */
const lateMs = 15_000;
/** Maximum number of past minutes published after an interruption. */
const maxMinutes = 60n;

/** Permanent: one event for each listener and minute. */
const causeIdOf = uuidV5('4f5a0a86-6f0d-4f0e-8a63-5a1c3d6c9b27');

type CountingSettings = Pick<OperationalEventsSettings, 'store' | 'readModel' | 'masterKeys' | 'clock'> & {
  queue: Pick<OperationalEventsSettings['queue'], 'positions' | 'exhausted'>;
};

/** Records an operational event for deliveries that used up their attempts: one for each listener and minute. Resolves to the pause until the next time. */
export async function publishExhausted(
  settings: CountingSettings,
  { keep, worked }: Pick<Following, 'keep' | 'worked'>,
): Promise<number> {
  const { queue, clock } = settings;
  const last = BigInt(Math.floor((clock() - lateMs) / minuteMs)) - 1n;
  const known = await positionOf(queue, reader);
  const done = known ?? last;
  for (let minute = done < last - maxMinutes ? last - maxMinutes : done + 1n; minute <= last; minute += 1n) {
    await publishMinute(settings, Number(minute) * minuteMs);
    await keep(reader, minute);
  }
  if (known === undefined) await keep(reader, last);
  worked();
  return minuteMs - ((clock() - lateMs) % minuteMs); // until the next minute has been recorded
}

async function publishMinute(settings: CountingSettings, from: number): Promise<void> {
  const { queue, readModel, store } = settings;
  const copies = operationalCopies(settings);
  const minute = new Date(from).toISOString();
  const head = await store.head();
  for (const { exhausted: count, ...row } of await queue.exhausted({ from, to: from + minuteMs })) {
    const listener = await currentListener(readModel, row.listenerId);
    if (!listener || isOperationalListener(listener)) continue; // one that was removed has nothing to be mended
    const { orgId } = listener;
    const data = { ...listenerFacts(listener), minute, count };
    const causeId = causeIdOf(`${row.listenerId} ${minute}`);
    const event = { type: 'delivery.exhausted', orgId, data } as const;
    await copies.publish({ ...event, causeId, at: minute }, head);
    const standing = await readFirstIfExists(store.readStream(listenerStream(orgId, listener.hookUrl), { limit: 1 }));
    if (!standing) await copies.withdraw(event); // its organisation was erased meanwhile
  }
}
