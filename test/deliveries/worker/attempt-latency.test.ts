import { expect } from 'chai';
import type { PostResult } from '../../../src/deliveries/posting/post.js';
import { attemptDelivery } from '../../../src/deliveries/worker/attempt.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { queuedListener } from '../../support/deliveries/delivery-batches.js';
import { answered, attemptSettings, openPermit } from '../../support/deliveries/worker-settings.js';

const refused: PostResult = {
  kind: 'failed',
  error: 'refused',
  status: undefined,
  retryAfter: undefined,
} as PostResult;

describe('the latency of a delivery', () => {
  /** Latency that an attempt reports which starts at 3,000 ms. */
  async function latencyOf(fields: Partial<LeasedDelivery>, result: PostResult = answered) {
    const { position: _, paused: __, ...listener } = queuedListener();
    const outcome = await attemptDelivery(
      {
        ...listener,
        id: 'd1',
        webhookId: 'w1',
        eventId: 'e1',
        asRead: '0.0',
        eventType: 'flow.completed',
        body: '{}',
        attempt: 1,
        enqueuedAt: 2_900,
        recordedAt: 2_000,
        ...fields,
      },
      openPermit,
      {
        ...attemptSettings(),
        post: async () => result,
        clock: () => 3_000,
      },
    );
    return 'latencyMs' in outcome ? outcome.latencyMs : undefined;
  }

  it('is the time from recording its flow event to a success at the first attempt', async () => {
    expect(await latencyOf({})).to.be.within(1_000, 1_900);
  });

  it('is not below zero where the clock of the recorder is ahead', async () => {
    expect(await latencyOf({ recordedAt: 60_000 })).to.equal(0);
  });

  it('is unknown after a failed attempt, for replays and for tests', async () => {
    expect(await latencyOf({ attempt: 2 })).to.equal(undefined);
    expect(await latencyOf({ replay: 'one' })).to.equal(undefined);
    expect(await latencyOf({ recordedAt: undefined })).to.equal(undefined);
    expect(await latencyOf({}, refused)).to.equal(undefined);
  });
});
