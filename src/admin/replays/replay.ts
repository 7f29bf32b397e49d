import { type ReplayData, type ReplayEvent, replayCodec, replayIn } from '../../events/replay-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import type { Decider, Evolvable } from '../../stores/event-store/handle.js';

export type Replay =
  | { state: 'none' }
  | { state: 'running' | 'completed'; replay: ReplayData }
  | { state: 'cancelled'; replay: ReplayData; reason: 'requested' | 'removed' | 'erased' };

export class ReplayNotFound extends DomainError {
  readonly code = 'replay_not_found';

  constructor(replayId: string) {
    super(`no replay has the ID '${replayId}'`);
  }
}

function evolve(_: Replay, { type, data }: Evolvable<ReplayEvent>): Replay {
  const replay = replayIn(data);
  switch (type) {
    case 'ReplayStarted':
    case 'ReplayProgressed':
      return { state: 'running', replay };
    case 'ReplayCancelled':
      return { state: 'cancelled', replay, reason: data.reason };
    case 'ReplayCompleted':
      return { state: 'completed', replay };
  }
}

export const replayDecider: Decider<Replay, ReplayEvent> = {
  codec: replayCodec,
  initialState: () => ({ state: 'none' }),
  evolve,
};

export const replayStream = (replayId: string): string => `replay-${replayId}`;

export type StartReplay = Pick<
  ReplayData,
  'replayId' | 'orgId' | 'listenerId' | 'from' | 'to' | 'type' | 'event' | 'ratePerSecond'
> & { now: Date };

/** A repeat changes nothing. */
export function startReplay({ now, ...command }: StartReplay, replay: Replay): ReplayEvent[] {
  if (replay.state !== 'none') return [];
  const nothingYet = { lookedAt: 0, enqueued: 0, share: 0, reached: null };
  return [{ type: 'ReplayStarted', data: { ...command, startedAt: now.toISOString(), ...nothingYet } }];
}

export type Progress = Pick<ReplayData, 'lookedAt' | 'enqueued' | 'share' | 'reached'>;

/** Ignores a run that another has overtaken. */
export function progressReplay(progress: Progress, replay: Replay): ReplayEvent[] {
  if (replay.state !== 'running' || progress.lookedAt <= replay.replay.lookedAt) return [];
  return [{ type: 'ReplayProgressed', data: { ...replay.replay, ...progress } }];
}

export function completeReplay(progress: Progress, replay: Replay): ReplayEvent[] {
  if (replay.state !== 'running') return [];
  return [{ type: 'ReplayCompleted', data: { ...replay.replay, ...progress, share: 1 } }];
}

/** Cancels a completed replay too: its deliveries may still wait. Throws `ReplayNotFound`. */
export function cancelReplay(
  { replayId, reason }: { replayId: string; reason: 'requested' | 'removed' | 'erased' },
  replay: Replay,
): ReplayEvent[] {
  if (replay.state === 'none') throw new ReplayNotFound(replayId);
  if (replay.state === 'cancelled') return [];
  return [{ type: 'ReplayCancelled', data: { ...replay.replay, reason } }];
}
