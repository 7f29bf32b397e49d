import { randomUUID } from 'node:crypto';
import {
  cancelReplay,
  completeReplay,
  progressReplay,
  type Replay,
  ReplayNotFound,
  replayDecider,
  startReplay,
} from '../../../src/admin/replays/replay.js';
import type { ReplayData, ReplayEvent } from '../../../src/events/replay-events.js';
import { given } from '../../support/given.js';

const replayId = randomUUID();
const command = {
  replayId,
  orgId: 'acme',
  listenerId: randomUUID(),
  from: null,
  to: null,
  type: 'flow.*',
  event: null,
  ratePerSecond: 50,
  now: new Date('2026-01-02T03:04:05.678Z'),
};
const { now, ...asked } = command;
const data: ReplayData = {
  ...asked,
  startedAt: now.toISOString(),
  lookedAt: 0,
  enqueued: 0,
  share: 0,
  reached: null,
};
const started: ReplayEvent = { type: 'ReplayStarted', data };
const half = { lookedAt: 10, enqueued: 4, share: 0.5, reached: { stream: 'flow-a', revision: '3' } };
const progressed: ReplayEvent = { type: 'ReplayProgressed', data: { ...data, ...half } };
const completed: ReplayEvent = { type: 'ReplayCompleted', data: { ...data, ...half, share: 1 } };
const cancelled: ReplayEvent = { type: 'ReplayCancelled', data: { ...data, ...half, reason: 'requested' } };

const story = (...history: ReplayEvent[]) => given(replayDecider, history);
const start = (replay: Replay) => startReplay(command, replay);
const progress = (replay: Replay) => progressReplay(half, replay);
const complete = (replay: Replay) => completeReplay(half, replay);
const cancel = (replay: Replay) => cancelReplay({ replayId, reason: 'requested' }, replay);

describe('a replay', () => {
  it('starts with nothing done', () => story().when(start).then([started]));

  it('is not changed by a repeated start with its ID, in any state', () => {
    for (const last of [started, progressed, completed, cancelled]) story(started, last).when(start).then([]);
  });

  it('says how far it is', () => story(started).when(progress).then([progressed]));

  it('never goes back: a run that was overtaken changes nothing', () => {
    story(started, progressed).when(progress).then([]);
    story(started, completed).when(progress).then([]);
    story(started, cancelled).when(progress).then([]);
  });

  it('completes once', () => {
    story(started).when(complete).then([completed]);
    story(started, completed).when(complete).then([]);
  });

  it('stays cancelled', () => {
    story(started, progressed).when(cancel).then([cancelled]);
    story(started, cancelled).when(cancel).then([]);
    story(started, cancelled).when(complete).then([]);
  });

  it('can be cancelled when all of it is in the queue: it may wait there for long', () =>
    story(started, completed)
      .when(cancel)
      .then([{ type: 'ReplayCancelled', data: { ...data, ...half, share: 1, reason: 'requested' } }]));

  it('cannot be cancelled where there is none', () => story().when(cancel).thenThrows(ReplayNotFound));
});
