import { type ReplayData, type ReplayEvent, replayEvents, replayIn } from '../src/events/replay-events.js';
import { actorOf, type Recorded } from '../src/stores/event-store/codec.js';
import { patch, projection, put, removeWhere, sortable } from '../src/views/projection.js';

export type ReplayEntry = ReplayData & {
  state: 'running' | 'completed' | 'cancelled';
  /** Only flow events before it are sent. */
  position: string;
  progressedAt: string;
  endedAt: string | null;
  reason: string | null;
  startedBy: string | null;
  endedBy: string | null;
};

const keyOf = ({ startedAt, replayId }: ReplayData): readonly string[] => [startedAt, replayId];

type RecordedReplayEvent<Type extends ReplayEvent['type'] = ReplayEvent['type']> = Recorded<
  Extract<ReplayEvent, { type: Type }>
>;

export const startedReplay = (event: RecordedReplayEvent): ReplayEntry => ({
  ...replayIn(event.data),
  state: 'running',
  position: sortable(event.position),
  progressedAt: event.recordedAt,
  endedAt: null,
  reason: null,
  startedBy: actorOf(event),
  endedBy: null,
});

export function replayChanges(event: RecordedReplayEvent): Partial<ReplayEntry> {
  const { lookedAt, enqueued, share, reached } = event.data;
  const progress = { lookedAt, enqueued, share, reached, progressedAt: event.recordedAt };
  const ended = { ...progress, endedAt: event.recordedAt, endedBy: actorOf(event) };
  if (event.type === 'ReplayCancelled') return { ...ended, state: 'cancelled', reason: event.data.reason };
  return event.type === 'ReplayCompleted' ? { ...ended, state: 'completed' } : progress;
}

const change = (event: RecordedReplayEvent) => patch(keyOf(event.data), replayChanges(event));

export const replays = projection({
  name: 'replays',
  version: 1,
  category: 'replay',
  indexes: [['orgId'], ['listenerId'], ['state'], ['replayId']],
  events: replayEvents,
  forget: ({ ids }) => removeWhere('replayId', ids),
  on: {
    ReplayStarted: (event) => put(keyOf(event.data), startedReplay(event)),
    ReplayProgressed: change,
    ReplayCancelled: change,
    ReplayCompleted: change,
  },
});
